import type { Database } from "./sqlite-driver.ts";

/**
 * The table of jobs without CHECKs: `check-job.ts` checks each row before it is written, at a tenth of the
 * cost. The columns are those of the migrations so far, which say what they mean.
 */
const UNCHECKED = `
  DROP TABLE job;
  CREATE TABLE job (
    seq               INTEGER PRIMARY KEY,
    endpoint          TEXT    NOT NULL,
    id                TEXT    NOT NULL,
    state             TEXT    NOT NULL,
    position          INTEGER NOT NULL,
    holder            TEXT,
    worker            TEXT,
    attempt           INTEGER NOT NULL DEFAULT 0,
    losses            INTEGER NOT NULL DEFAULT 0,
    undelivered       INTEGER NOT NULL DEFAULT 0,
    proved            INTEGER NOT NULL DEFAULT 0,
    denials           INTEGER NOT NULL DEFAULT 0,
    barred            TEXT,
    barred_until      INTEGER,
    queued_at         INTEGER NOT NULL,
    taken_at          INTEGER,
    lease_ends_at     INTEGER,
    ended_at          INTEGER,
    ttl               INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    execution_timeout INTEGER NOT NULL,
    retention         INTEGER NOT NULL,
    due_at            INTEGER NOT NULL,
    low_priority      INTEGER NOT NULL,
    beside            INTEGER NOT NULL,
    chunks            INTEGER NOT NULL DEFAULT 0,
    cursor            INTEGER NOT NULL DEFAULT 0,
    body              ANY     NOT NULL,
    secret            ANY,
    output            ANY,
    error             ANY,
    progress          ANY,
    bytes             INTEGER NOT NULL DEFAULT 0,
    chunk_bytes       INTEGER NOT NULL DEFAULT 0,
    webhook           BLOB,
    receiver          TEXT,
    UNIQUE (endpoint, id)
  ) STRICT;
  CREATE INDEX job_held ON job (endpoint, holder, position) WHERE holder IS NOT NULL;
  CREATE INDEX job_due ON job (due_at) WHERE ended_at IS NULL;
  CREATE INDEX job_kept ON job (beside, due_at) WHERE ended_at IS NOT NULL;
`;

/** A table with jobs keeps its CHECKs, because a large one cannot be rebuilt at a start. */
export function uncheckJobs(database: Database): void {
  if (database.query("SELECT 1 FROM job LIMIT 1").get() === null) database.run(UNCHECKED);
}
