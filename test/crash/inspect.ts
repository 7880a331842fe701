import type { JobRecord } from "../../src/domain/job.ts";
import type { Payload } from "../../src/domain/payload.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Counts, Store } from "../../src/store/store.ts";
import { stepsOf } from "../model/steps.ts";
import { type FoundFiles, inspectFiles } from "./inspect-files.ts";
import { digestOf } from "./named-payload.ts";

/** A job as a store answers it; its payloads as digests. */
export interface FoundJob {
  readonly record: JobRecord;
  readonly output: string | undefined;
  readonly error: string | undefined;
  readonly progress: string | undefined;
  readonly chunks: readonly string[];
}

/** All that is found in a directory when it is opened again. */
export interface Found extends FoundFiles {
  readonly jobs: ReadonlyMap<string, FoundJob>;
  readonly counts: Counts;
  readonly latestTime: number;
}

/** Opens the store as a server would, reads the jobs, closes it, and looks at the files. */
export async function inspect(directory: string, endpoint: string, ids: readonly string[]): Promise<Found> {
  const fatal: string[] = [];
  const store = await openSqliteStore({ directory, onFatal: (error) => fatal.push(String(error)) });
  const jobs = new Map<string, FoundJob>();
  for (const id of ids) {
    const job = await foundJob(store, endpoint, id);
    if (job !== undefined) jobs.set(id, job);
  }
  const counts = await store.counts(endpoint);
  const latestTime = await store.latestTime();
  await store.close();
  if (counts === undefined) throw new Error(`the endpoint ${endpoint} is gone`);
  const files = inspectFiles(directory);
  return { jobs, counts, latestTime, ...files, faults: [...fatal, ...files.faults] };
}

async function foundJob(store: Store, endpoint: string, id: string): Promise<FoundJob | undefined> {
  const record = await store.job(endpoint, id);
  if (record === undefined) return undefined;
  const [drained] = await store.apply([stepsOf(endpoint).drain(id, { from: 0 })], 0);
  const digest = async (payload: Payload | undefined): Promise<string | undefined> =>
    payload && store.readPayload(payload).then(digestOf, (error: unknown) => `unreadable: ${String(error)}`);
  const chunks: string[] = [];
  for (const chunk of drained?.chunks ?? []) chunks.push((await digest(chunk)) ?? "");
  return {
    record,
    output: await digest(record.output),
    error: await digest(record.error),
    progress: await digest(record.progress),
    chunks,
  };
}
