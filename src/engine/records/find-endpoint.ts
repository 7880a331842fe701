import type { Endpoint } from "../../domain/endpoint.ts";
import { isReservedName, whyUnreachable } from "../../domain/endpoint-name.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { WithLog } from "../verb-needs.ts";
import type { WithConfiguration } from "./configuration.ts";

/** The endpoint, if it is the account's and is not being deleted. Throws ENDPOINT_NOT_FOUND. */
export function endpointOf(engine: WithConfiguration, account: string, id: string): Endpoint {
  const endpoint = findEndpoint(engine, account, id);
  if (endpoint === undefined) throw endpointNotFound(id);
  return endpoint;
}

/** The same; undefined where there is none. */
export function findEndpoint(engine: WithConfiguration, account: string, id: string): Endpoint | undefined {
  const endpoint = engine.configuration.get("endpoint", id);
  return endpoint !== undefined && isShown(endpoint, account) ? endpoint : undefined;
}

/** The account's endpoint with this id, or else the one with this name. */
export function resolveEndpoint(
  engine: WithConfiguration,
  account: string,
  text: string,
): Endpoint | undefined {
  const byId = findEndpoint(engine, account, text);
  if (byId !== undefined || isReservedName(text)) return byId;
  return engine.configuration.endpointNamed(account, text);
}

/** Not there, and not yours, are one. */
export function endpointNotFound(id: string): ForebayError {
  return new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${id}.`);
}

/** The account's endpoints, the oldest first. */
export function endpointsOf(engine: WithConfiguration, account: string): Endpoint[] {
  return engine.configuration
    .all("endpoint")
    .filter((endpoint) => isShown(endpoint, account))
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

function isShown(endpoint: Endpoint, account: string): boolean {
  return endpoint.account === account && endpoint.deletedAt === undefined;
}

/** Logs each endpoint that was created before names stood in paths, and that its name cannot reach. */
export function logUnreachableNames(engine: WithConfiguration & WithLog): void {
  for (const endpoint of engine.configuration.all("endpoint")) {
    if (endpoint.deletedAt !== undefined) continue;
    const { id: endpointId, account, name } = endpoint;
    const reason = whyUnreachable(endpoint, (text) => findEndpoint(engine, account, text) !== undefined);
    if (reason === undefined) continue;
    engine.log.warn("the name of an endpoint does not work in paths: rename it", {
      endpoint: endpointId,
      name,
      reason,
    });
  }
}
