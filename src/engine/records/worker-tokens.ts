import type { Endpoint } from "../../domain/endpoint.ts";
import { versionEnding, type WorkerToken } from "../../domain/worker.ts";
import { digestOf, newRecordId, newWorkerSecret } from "../digest.ts";
import type { WithServer } from "../verb-needs.ts";
import type { RecordAccess } from "./configuration.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

export interface NewWorkerToken {
  readonly record: WorkerToken;
  /** The token itself: it is not kept, and cannot be had again. */
  readonly token: string;
}

/** What kind of worker is admitted. */
export interface WorkerKind extends Pick<WorkerToken, "many" | "managed" | "provider" | "template"> {
  /** Of the release from which Forebay starts it. */
  readonly version?: number;
}

/** Admits a worker to an endpoint, or with `many` any number of workers that share the token. */
export async function createWorkerToken(
  engine: RecordChanges & WithServer,
  endpoint: Endpoint,
  { many, managed, provider, template, version }: WorkerKind,
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
    template,
    startedAt: managed ? engine.clock.now() : undefined,
    digest: digestOf(token),
  };
  await putRecord(engine, "worker", record);
  return { record, token };
}

/**
 * Removes tokens whose endpoint is gone: a server that was killed, or that admitted a worker at the same
 * time, has left them. Workers that Forebay started are the fleet's to end, and their tokens go with them.
 */
export async function deleteOrphanTokens(engine: RecordAccess): Promise<void> {
  const { all, get } = engine.configuration;
  const orphans = all("worker").filter(
    ({ endpoint, managed }) => !managed && get("endpoint", endpoint) === undefined,
  );
  for (const { id } of orphans) await deleteWorkerToken(engine, id);
}

/** The token is refused from now on, and so is every worker that has it. */
export async function deleteWorkerToken(engine: RecordAccess, id: string): Promise<void> {
  await engine.store.apply([{ step: "remove", kind: "worker", id }], engine.clock.now());
  await engine.configuration.refresh();
}
