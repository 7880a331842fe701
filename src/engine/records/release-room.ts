import { ForebayError } from "../../domain/errors.ts";
import type { StoredTemplate } from "./record-bodies.ts";
import { forgetOld, type Releases } from "./releases.ts";

/**
 * Makes room for a release of `endpoints` endpoints on a template: each release has a copy of what its
 * workers start from. If there is not enough room, old releases of the account that nothing needs are
 * deleted. Throws LIMIT_REACHED if that is not enough. Calls at the same time can exceed the limit by what
 * they add.
 */
export async function makeRoomForReleases(
  engine: Releases,
  account: string,
  template: StoredTemplate | undefined,
  endpoints: number,
): Promise<void> {
  const { configuration, limits, starts } = engine;
  if (template === undefined || !starts.runs(template.imageName)) return;
  const added = endpoints * JSON.stringify({ ...template, readme: "" }).length;
  const isOver = (): boolean => configuration.use("release", account).bytes + added > limits.releaseBytes;
  if (!isOver()) return;
  for (const endpoint of configuration.all("endpoint"))
    if (endpoint.account === account) await forgetOld(engine, endpoint.id, 1);
  if (!isOver()) return;
  throw new ForebayError(
    "LIMIT_REACHED",
    `The releases of account ${account} have ${configuration.use("release", account).bytes} bytes. This ` +
      `change would add ${added} bytes, and the limit is ${limits.releaseBytes} bytes. Make the ` +
      "templates smaller, delete endpoints that are not needed, or ask the operator of this server to " +
      "raise FOREBAY_ACCOUNT_RELEASE_MB.",
  );
}
