import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { newRecordId } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { sealHeaders } from "./webhook-headers.ts";
import { putRecord } from "./put-record.ts";
import { deleteReleases, ensureRelease } from "./releases.ts";
import { usableTemplateOf } from "./templates.ts";

/** What can be said of an endpoint at any time. What is left out stays as it is; null is the default. */
export type EndpointChanges = {
  readonly [Name in Changeable]?: Endpoint[Name] | null | undefined;
} & {
  readonly name?: string | undefined;
  readonly webhookHeaders?: Readonly<Record<string, string>> | null | undefined;
};

type Changeable = Exclude<
  keyof Endpoint,
  "id" | "account" | "name" | "templateId" | "webhookHeaders" | "createdAt"
>;

/** What the maker of an endpoint chooses; the rest takes its default. */
export type NewEndpoint = EndpointChanges & {
  readonly id?: string | undefined;
  readonly name: string;
  readonly templateId?: string | null | undefined;
};

/** Makes an endpoint. Throws NAME_TAKEN, TEMPLATE_NOT_FOUND, INVALID_FIELD. */
export async function createEndpoint(engine: Engine, account: string, given: NewEndpoint): Promise<Endpoint> {
  const { id = newRecordId(), name } = given;
  const templateId = given.templateId ?? undefined;
  if (templateId !== undefined) usableTemplateOf(engine, account, templateId);
  const createdAt = engine.clock.now();
  const plain: Endpoint = { id, account, name, templateId, ...ENDPOINT_DEFAULTS, createdAt };
  // Where workersMax is left out it makes room for workersMin.
  const endpoint = changed(engine, plain, { ...given, workersMax: given.workersMax ?? null });
  await putRecord(engine, "endpoint", endpoint);
  await ensureRelease(engine, endpoint.id);
  return endpoint;
}

/**
 * Changes what is given and leaves the rest. Throws ENDPOINT_NOT_FOUND, NAME_TAKEN, INVALID_FIELD,
 * CHANGED_MEANWHILE.
 */
export async function updateEndpoint(
  engine: Engine,
  account: string,
  id: string,
  changes: EndpointChanges,
): Promise<Endpoint> {
  const endpoint = changed(engine, endpointOf(engine, account, id), changes);
  await putRecord(engine, "endpoint", endpoint);
  await ensureRelease(engine, endpoint.id);
  return endpoint;
}

/** The endpoint with what is given. Throws INVALID_FIELD when that does not go together. */
function changed(engine: Engine, endpoint: Endpoint, given: EndpointChanges): Endpoint {
  const workersMin = choice(given.workersMin, endpoint.workersMin, ENDPOINT_DEFAULTS.workersMin);
  const usualMax = Math.max(ENDPOINT_DEFAULTS.workersMax, workersMin);
  const workersMax = choice(given.workersMax, endpoint.workersMax, usualMax);
  if (workersMin > workersMax) {
    throw new ForebayError("INVALID_FIELD", "workersMin must not be greater than workersMax.");
  }
  return {
    ...endpoint,
    name: given.name ?? endpoint.name,
    workersMin,
    workersMax,
    idleTimeout: choice(given.idleTimeout, endpoint.idleTimeout, ENDPOINT_DEFAULTS.idleTimeout),
    scalerType: choice(given.scalerType, endpoint.scalerType, ENDPOINT_DEFAULTS.scalerType),
    scalerValue: choice(given.scalerValue, endpoint.scalerValue, ENDPOINT_DEFAULTS.scalerValue),
    releaseSurge: choice(given.releaseSurge, endpoint.releaseSurge, ENDPOINT_DEFAULTS.releaseSurge),
    releasePace: choice(given.releasePace, endpoint.releasePace, undefined),
    isPaused: choice(given.isPaused, endpoint.isPaused, ENDPOINT_DEFAULTS.isPaused),
    executionTimeoutMs: choice(given.executionTimeoutMs, endpoint.executionTimeoutMs, undefined),
    ttlMs: choice(given.ttlMs, endpoint.ttlMs, undefined),
    runRetentionMs: choice(given.runRetentionMs, endpoint.runRetentionMs, undefined),
    runsyncRetentionMs: choice(given.runsyncRetentionMs, endpoint.runsyncRetentionMs, undefined),
    rateLimits: choice(given.rateLimits, endpoint.rateLimits, undefined),
    maxQueuedJobs: choice(given.maxQueuedJobs, endpoint.maxQueuedJobs, undefined),
    maxQueuedBytes: choice(given.maxQueuedBytes, endpoint.maxQueuedBytes, undefined),
    webhookRetries: choice(given.webhookRetries, endpoint.webhookRetries, undefined),
    webhookHeaders: choice(
      given.webhookHeaders && (sealHeaders(engine, endpoint.id, given.webhookHeaders) ?? null),
      endpoint.webhookHeaders,
      undefined,
    ),
  };
}

function choice<Value>(given: Value | null | undefined, present: Value, byDefault: Value): Value {
  return given === null ? byDefault : (given ?? present);
}

/** The endpoint, if it is the account's. Throws ENDPOINT_NOT_FOUND. */
export function endpointOf(engine: Engine, account: string, id: string): Endpoint {
  const endpoint = engine.configuration.get("endpoint", id);
  if (endpoint === undefined || endpoint.account !== account) {
    throw endpointNotFound(id);
  }
  return endpoint;
}

/** Not there, and not yours, are one. */
export function endpointNotFound(id: string): ForebayError {
  return new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${id}.`);
}

/** The account's endpoints, the oldest first. */
export function endpointsOf(engine: Engine, account: string): Endpoint[] {
  return engine.configuration
    .all("endpoint")
    .filter((endpoint) => endpoint.account === account)
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/**
 * Removes an endpoint, its worker tokens, its releases and its webhook secret; webhooks that are still to be
 * delivered are given up. Throws ENDPOINT_NOT_FOUND, and IN_USE while it has unfinished jobs.
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
  await engine.store.apply([{ step: "remove", kind: "webhookSecret", id }], now);
  await deleteReleases(engine, id);
  await engine.configuration.refresh();
}
