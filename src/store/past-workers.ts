import type { WorkerGpu, WorkerPlace } from "../domain/worker.ts";

/** What stays of a worker that Forebay had started when its record is removed. */
export interface NewPastWorker extends WorkerPlace {
  readonly endpoint: string;
  /** When Forebay requested its start, ms since 1970; undefined for the first versions. */
  readonly startedAt: number | undefined;
}

/** A worker whose record is removed. */
export interface PastWorker extends NewPastWorker {
  /** It ends with the version of its release (`versionOf`). */
  readonly id: string;
  /** ms since 1970. */
  readonly removedAt: number;
}

/** The row of a past worker, as databases keep it. */
export interface PastWorkerRow {
  readonly endpoint: string;
  readonly id: string;
  readonly host: string;
  /** JSON. */
  readonly gpus: string;
  readonly started_at: number | null;
  readonly removed_at: number;
}

export function pastWorkerRow(id: string, past: NewPastWorker, removedAt: number): PastWorkerRow {
  const { endpoint, host, gpus, startedAt } = past;
  const shown = gpus.map(({ uuid, name }): WorkerGpu => ({ uuid, name }));
  return {
    endpoint,
    id,
    host,
    gpus: JSON.stringify(shown),
    started_at: startedAt ?? null,
    removed_at: removedAt,
  };
}

/** Only the function above has written what it reads. */
export function pastWorkerOf(row: PastWorkerRow): PastWorker {
  return {
    endpoint: row.endpoint,
    id: row.id,
    host: row.host,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    gpus: JSON.parse(row.gpus) as WorkerGpu[],
    startedAt: row.started_at ?? undefined,
    removedAt: row.removed_at,
  };
}
