import { type NewPastWorker, pastWorkerRow } from "../past-workers.ts";
import type { Connection } from "./postgres-driver.ts";

/** What stays of workers that Forebay had started when their records are removed. */
export const PAST_WORKER_SCHEMA = `
  -- id: that of its record. gpus: JSON, UUID and model of each.
  CREATE TABLE forebay.past_worker (
    endpoint   text COLLATE "C" NOT NULL REFERENCES forebay.queue ON DELETE CASCADE,
    id         text COLLATE "C" NOT NULL,
    host       text NOT NULL,
    gpus       text NOT NULL,
    started_at bigint,
    removed_at bigint NOT NULL,
    PRIMARY KEY (endpoint, id)
  );
  CREATE INDEX past_worker_removed_at ON forebay.past_worker (removed_at);
`;

/** Those of the given workers that are past. */
export const SELECT_PAST_WORKERS = `
  SELECT endpoint, id, host, gpus, started_at::float8 AS started_at, removed_at::float8 AS removed_at
  FROM forebay.past_worker WHERE endpoint = $1 AND id = ANY ($2::text[])`;

/** Nothing stays of a worker whose endpoint is removed. */
const INSERT = `
  INSERT INTO forebay.past_worker (endpoint, id, host, gpus, started_at, removed_at)
  SELECT endpoint, $2, $3, $4, $5, $6 FROM forebay.queue WHERE endpoint = $1
  ON CONFLICT (endpoint, id) DO UPDATE
  SET host = excluded.host, gpus = excluded.gpus, started_at = excluded.started_at,
      removed_at = excluded.removed_at`;

/** The lock on all changes of records keeps the endpoint so until the commit. */
export async function addPastWorker(
  connection: Connection,
  worker: string,
  past: NewPastWorker,
  now: number,
): Promise<void> {
  const { endpoint, id, host, gpus, started_at, removed_at } = pastWorkerRow(worker, past, now);
  await connection.query(INSERT, [endpoint, id, host, gpus, started_at, removed_at]);
}

/** Skips what another server forgets at the same time. */
const FORGET = `
  DELETE FROM forebay.past_worker WHERE (endpoint, id) IN (
    SELECT endpoint, id FROM forebay.past_worker
    WHERE removed_at < $1 ORDER BY removed_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

/** Removes at most `limit` of those whose records were removed before `before`. Answers how many. */
export async function forgetPastWorkers(
  connection: Connection,
  before: number,
  limit: number,
): Promise<number> {
  return (await connection.query(FORGET, [before, limit])).length;
}
