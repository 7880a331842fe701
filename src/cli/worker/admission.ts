import { ForebayError } from "@forebay/worker/client";
import { admitWorker } from "../admit-worker.ts";
import { CommandFault } from "../command-fault.ts";
import type { ServerAccess } from "../server-access.ts";
import { callServer } from "../server-call.ts";

/**
 * The environment with which a new worker connects to the endpoint of this id or name. One that is not there
 * is made if `create` says so. Throws CommandFault.
 */
export async function environmentFor(
  access: ServerAccess,
  endpoint: string,
  create: boolean,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await admitWorker(access, endpoint, false);
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "ENDPOINT_NOT_FOUND")) throw error;
  }
  await makeEndpoint(access, endpoint, create);
  return admitWorker(access, endpoint, false);
}

async function makeEndpoint(access: ServerAccess, name: string, create: boolean): Promise<void> {
  if (!create) {
    throw new CommandFault(
      `there is no endpoint with the id or name ${name}. Add --create to make one of this name.`,
    );
  }
  try {
    await callServer(access, "/v1/endpoints", '{"id":', { name });
  } catch (error) {
    // Another worker that starts at the same moment was faster.
    if (!(error instanceof ForebayError && error.code === "NAME_TAKEN")) throw error;
  }
}
