import type { RaisedLimits } from "../../domain/rate-limits.ts";
import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { newRecordId } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { putRecord } from "./put-record.ts";
import { templateOf } from "./templates.ts";

/** What the maker of an endpoint chooses; the rest takes its default. */
export interface NewEndpoint {
  readonly id?: string | undefined;
  readonly name: string;
  readonly templateId?: string | undefined;
  readonly workersMin?: number | undefined;
  readonly workersMax?: number | undefined;
  readonly idleTimeout?: number | undefined;
  readonly rateLimits?: RaisedLimits | undefined;
  readonly maxQueuedJobs?: number | undefined;
  readonly maxQueuedBytes?: number | undefined;
}

/** Makes an endpoint. Throws NAME_TAKEN, TEMPLATE_NOT_FOUND, INVALID_FIELD. */
export async function createEndpoint(engine: Engine, account: string, given: NewEndpoint): Promise<Endpoint> {
  if (given.templateId !== undefined) templateOf(engine, account, given.templateId);
  const workersMin = given.workersMin ?? ENDPOINT_DEFAULTS.workersMin;
  const endpoint: Endpoint = {
    id: given.id ?? newRecordId(),
    account,
    name: given.name,
    templateId: given.templateId,
    workersMin,
    workersMax: given.workersMax ?? Math.max(ENDPOINT_DEFAULTS.workersMax, workersMin),
    idleTimeout: given.idleTimeout ?? ENDPOINT_DEFAULTS.idleTimeout,
    rateLimits: given.rateLimits,
    maxQueuedJobs: given.maxQueuedJobs,
    maxQueuedBytes: given.maxQueuedBytes,
    createdAt: engine.clock.now(),
  };
  if (endpoint.workersMin > endpoint.workersMax) {
    throw new ForebayError("INVALID_FIELD", "workersMin must not be greater than workersMax.");
  }
  await putRecord(engine, "endpoint", endpoint);
  return endpoint;
}

/** The endpoint, if it is the account's. Throws ENDPOINT_NOT_FOUND. */
export function endpointOf(engine: Engine, account: string, id: string): Endpoint {
  const endpoint = engine.configuration.get("endpoint", id);
  if (endpoint === undefined || endpoint.account !== account) {
    throw new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${id}.`);
  }
  return endpoint;
}

/** The account's endpoints, the oldest first. */
export function endpointsOf(engine: Engine, account: string): Endpoint[] {
  return engine.configuration
    .all("endpoint")
    .filter((endpoint) => endpoint.account === account)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/**
 * Removes an endpoint and its worker tokens. Throws ENDPOINT_NOT_FOUND, and IN_USE while it has unfinished
 * jobs.
 */
export async function deleteEndpoint(engine: Engine, account: string, id: string): Promise<void> {
  endpointOf(engine, account, id);
  const now = engine.clock.now();
  const [answer] = await engine.store.apply([{ step: "remove", kind: "endpoint", id }], now);
  if (answer.outcome === "inUse") {
    throw new ForebayError(
      "IN_USE",
      `Endpoint ${id} has unfinished jobs. Cancel or purge them, or wait for them, then delete it.`,
    );
  }
  const tokens = engine.configuration.all("worker").filter((token) => token.endpoint === id);
  await Promise.all(
    tokens.map((token) => engine.store.apply([{ step: "remove", kind: "worker", id: token.id }], now)),
  );
  await engine.configuration.refresh();
}
