import type { ServerAccess } from "./server-access.ts";
import { callServer } from "./server-call.ts";
import { endpointInPath } from "./endpoint-in-path.ts";

/** Admits a worker to an endpoint, and answers the environment with which it connects. */
export async function admitWorker(
  access: ServerAccess,
  endpoint: string,
  many: boolean,
): Promise<Readonly<Record<string, string>>> {
  const path = `/v1/endpoints/${endpointInPath(endpoint)}/workers`;
  const answer = await callServer(access, path, '{"workerId":', { many });
  // The admission answers just this.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (answer as { env: Record<string, string> }).env;
}
