import type { Endpoint } from "../../domain/endpoint.ts";
import { placeOf } from "../../domain/host.ts";
import { versionEnding, type WorkerToken } from "../../domain/worker.ts";
import type { NewAllocation } from "../../store/allocations.ts";
import type { NewPastWorker } from "../../store/past-workers.ts";
import { digestOf, newRecordId, newWorkerSecret } from "../digest.ts";
import type { WithServer } from "../verb-needs.ts";
import type { RecordAccess } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

export interface NewWorkerToken {
  readonly record: WorkerToken;
  /** The token. It is not stored, and cannot be read again. */
  readonly token: string;
}

/** The kind of worker that gets a token. */
export interface WorkerKind extends Pick<
  WorkerToken,
  "many" | "managed" | "provider" | "host" | "template" | "amounts" | "gpus"
> {
  /** The number of the release from which Forebay starts it. */
  readonly version?: number;
  /** The devices that it gets; they are written together with its record. */
  readonly allocation?: NewAllocation | undefined;
}

/**
 * Creates a token for a worker of an endpoint, or with `many` for any number of workers. Throws DeviceTaken,
 * and HOST_NOT_FOUND if the host was deleted; there is no token then.
 */
export async function createWorkerToken(
  engine: RecordChanges & WithServer,
  endpoint: Endpoint,
  { many, managed, provider, host, template, amounts, gpus, version, allocation }: WorkerKind,
): Promise<NewWorkerToken> {
  const token = newWorkerSecret();
  const record: WorkerToken = {
    id: `w${newRecordId()}${version === undefined ? "" : versionEnding(version)}`,
    account: endpoint.account,
    endpoint: endpoint.id,
    many,
    managed,
    server: managed ? engine.server : undefined,
    provider,
    host,
    template,
    amounts,
    gpus,
    startedAt: managed ? engine.clock.now() : undefined,
    digest: digestOf(token),
  };
  await putRecord(engine, "worker", record, allocation);
  return { record, token };
}

/**
 * Removes tokens of deleted endpoints, which a killed server left, or a server that created one at the same
 * time. The fleet ends the workers that Forebay started, and removes their tokens.
 */
export async function deleteOrphanTokens(engine: RecordAccess): Promise<void> {
  const { all, get } = engine.configuration;
  const orphans = all("worker").filter(
    ({ endpoint, managed }) => !managed && get("endpoint", endpoint) === undefined,
  );
  for (const { id } of orphans) await deleteWorkerToken(engine, id);
}

/**
 * Removes the token: workers that have it are refused from now on. Where Forebay ran the worker, and with
 * which GPUs, stays known (attempt-places.ts).
 */
export async function deleteWorkerToken(engine: RecordAccess, id: string): Promise<void> {
  const token = engine.configuration.get("worker", id);
  const past = token && pastWorkerOf(token);
  await engine.store.apply([{ step: "remove", kind: "worker", id, past }], engine.clock.now());
  await engine.configuration.refresh();
}

/** Undefined if Forebay did not start it. */
function pastWorkerOf(token: WorkerToken): NewPastWorker | undefined {
  const { endpoint, startedAt } = token;
  const place = placeOf(token);
  return place && { endpoint, startedAt, ...place };
}
