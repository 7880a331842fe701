import { ForebayError } from "@forebay/worker/client";
import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import type { AdmissionAnswer } from "../../http/answers/worker.ts";
import { CommandFault } from "../command-fault.ts";
import { callServer, endpointInPath, type ServerAccess } from "../server-call.ts";

/**
 * The environment with which a new worker connects to this endpoint. With `create`, a missing endpoint is
 * created. Throws CommandFault.
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

/**
 * The endpoint to use if none is named: the only one, or the only one without workers started by Forebay.
 * Throws CommandFault if there is none.
 */
export async function onlyEndpoint(access: ServerAccess): Promise<string> {
  const endpoints = await callServer<EndpointAnswer[]>(access, "/v1/endpoints", "[");
  // Forebay starts none of their workers.
  const own = endpoints.filter(({ templateId }) => templateId === "");
  const candidates = own.length > 0 ? own : endpoints;
  const [only, another] = candidates;
  if (only !== undefined && another === undefined) return only.id;
  const names = candidates.map(({ name }) => name).join(", ");
  throw new CommandFault(
    only === undefined
      ? "there is no endpoint. Create one: --endpoint <name> --create."
      : `name the endpoint: --endpoint <id or name>. You have ${names}.`,
  );
}

async function makeEndpoint(access: ServerAccess, name: string, create: boolean): Promise<void> {
  if (!create) {
    throw new CommandFault(`there is no endpoint with the id or name ${name}. To create it, add --create.`);
  }
  try {
    await callServer(access, "/v1/endpoints", '{"id":', { name });
  } catch (error) {
    // Another worker that started at the same moment has created it.
    if (!(error instanceof ForebayError && error.code === "NAME_TAKEN")) throw error;
  }
}

/** Admits a worker to an endpoint, and returns the environment with which it connects. */
export async function admitWorker(
  access: ServerAccess,
  endpoint: string,
  many: boolean,
): Promise<Readonly<Record<string, string>>> {
  const path = `/v1/endpoints/${endpointInPath(endpoint)}/workers`;
  const { env } = await callServer<AdmissionAnswer>(access, path, '{"workerId":', { many });
  return env;
}
