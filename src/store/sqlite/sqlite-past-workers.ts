import { type NewPastWorker, pastWorkerOf, pastWorkerRow, type PastWorkerRow } from "../past-workers.ts";
import type { Store } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/** What stays of workers that Forebay had started when their records are removed. */
export const PAST_WORKER_TABLE = `
  CREATE TABLE past_worker (
    endpoint   TEXT NOT NULL,
    -- of its record
    id         TEXT NOT NULL,
    host       TEXT NOT NULL,
    -- JSON: UUID and model of each
    gpus       TEXT NOT NULL,
    started_at INTEGER,
    removed_at INTEGER NOT NULL,
    PRIMARY KEY (endpoint, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX past_worker_removed_at ON past_worker (removed_at);
`;

export const PAST_WORKER_COLUMNS = "endpoint, id, host, gpus, started_at, removed_at";

export interface SqlitePastWorkers {
  add(id: string, past: NewPastWorker, now: number): void;
  /** Removes all those of the endpoint. */
  removeOf(endpoint: string): void;
  /** Removes at most `limit` of those whose records were removed before `before`. Answers how many. */
  forget(before: number, limit: number): number;
}

/** The past workers, within the open transaction. */
export function sqlitePastWorkers(database: Database): SqlitePastWorkers {
  const insert = prepare<
    never,
    [endpoint: string, id: string, host: string, gpus: string, startedAt: number | null, removedAt: number]
  >(database, `INSERT OR REPLACE INTO past_worker (${PAST_WORKER_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`);
  const removeAll = prepare<never, [endpoint: string]>(
    database,
    "DELETE FROM past_worker WHERE endpoint = ?1",
  );
  const removeOver = prepare<never, [before: number, limit: number]>(
    database,
    `DELETE FROM past_worker WHERE (endpoint, id) IN (
       SELECT endpoint, id FROM past_worker WHERE removed_at < ?1
       ORDER BY removed_at LIMIT cast(?2 AS INTEGER))`,
  );

  return {
    add(worker, past, now) {
      const { endpoint, id, host, gpus, started_at, removed_at } = pastWorkerRow(worker, past, now);
      insert.run(endpoint, id, host, gpus, started_at, removed_at);
    },

    removeOf: (endpoint) => void removeAll.run(endpoint),
    forget: (before, limit) => removeOver.run(before, limit).changes,
  };
}

export function sqliteReadPastWorkers(database: Database): Pick<Store, "pastWorkers"> {
  const select = prepare<PastWorkerRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${PAST_WORKER_COLUMNS} FROM past_worker WHERE endpoint = ?1 AND id = ?2`,
  );
  return {
    pastWorkers: async (endpoint, ids) =>
      ids.flatMap((id) => select.get(endpoint, id) ?? []).map(pastWorkerOf),
  };
}
