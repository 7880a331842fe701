import type { Access } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import { covers, type Scope } from "../domain/scope.ts";
import { endpointNotFound } from "../engine/records/endpoints.ts";
import type { KeyPath } from "./access.ts";
import type { Call } from "./call.ts";

/** Throws KEY_NOT_ALLOWED when the key lacks the scope; `what` begins the sentence. */
export function requireScope({ scopes }: Access, scope: Scope, what = "This call"): void {
  if (covers(scopes, scope)) return;
  const held = scopes.join(" and ");
  throw new ForebayError(
    "KEY_NOT_ALLOWED",
    `${what} needs a key with the scope ${scope}; this one has ${held}.`,
  );
}

/** Paths that show a key that is bound to endpoints no more than those. */
const SHOWN_IN_PART: ReadonlySet<KeyPath> = new Set<KeyPath>(["/v1/statistics"]);

/**
 * A key that is bound to endpoints opens nothing but what is theirs. Another endpoint is for it as if it were
 * not there. Throws ENDPOINT_NOT_FOUND and KEY_NOT_ALLOWED.
 */
export function requireOpen({ endpoints }: Access, path: KeyPath, { parameters: [id = ""] }: Call): void {
  if (endpoints === undefined) return;
  if (SHOWN_IN_PART.has(path)) return;
  if (!path.includes("{endpoint}")) {
    throw new ForebayError(
      "KEY_NOT_ALLOWED",
      "This key is bound to endpoints: it opens the paths of those, and no others.",
    );
  }
  if (!endpoints.includes(id)) throw endpointNotFound(id);
}
