import { whyUnreachable } from "../../domain/endpoint-name.ts";
import type { Engine } from "../engine.ts";
import { findEndpoint } from "./endpoints.ts";

/** Logs each endpoint that was created before names stood in paths, and that its name cannot reach. */
export function logUnreachableNames(engine: Engine): void {
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
