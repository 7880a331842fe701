import { ForebayError } from "@forebay/worker/client";
import { isId } from "../../domain/ids.ts";
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
  if (isId(endpoint)) {
    try {
      return await admitWorker(access, endpoint, false);
    } catch (error) {
      if (!(error instanceof ForebayError && error.code === "ENDPOINT_NOT_FOUND")) throw error;
    }
  }
  const id = (await idOfName(access, endpoint)) ?? (await makeEndpoint(access, endpoint, create));
  return admitWorker(access, id, false);
}

interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

async function idOfName(access: ServerAccess, name: string): Promise<string | undefined> {
  // The list answers just these, and more.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const endpoints = (await callServer(access, "/v1/endpoints", "[")) as NamedEndpoint[];
  return endpoints.find((endpoint) => endpoint.name === name)?.id;
}

async function makeEndpoint(access: ServerAccess, name: string, create: boolean): Promise<string> {
  if (!create) {
    throw new CommandFault(
      `there is no endpoint with the id or name ${name}. Add --create to make one of this name.`,
    );
  }
  try {
    // As above.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return ((await callServer(access, "/v1/endpoints", '{"id":', { name })) as NamedEndpoint).id;
  } catch (error) {
    // Another worker that starts at the same moment was faster.
    const isMade = error instanceof ForebayError && error.code === "NAME_TAKEN";
    const id = isMade ? await idOfName(access, name) : undefined;
    if (id === undefined) throw error;
    return id;
  }
}
