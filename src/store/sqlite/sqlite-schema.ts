import { newerDataError, releaseOf } from "../schema-releases.ts";
import type { Database } from "./sqlite-driver.ts";
import { type Migration, MIGRATIONS_OF_0_2 } from "./sqlite-schema-of-0-2.ts";

/**
 * The schema as a list of migrations. `user_version` is the number of those that the database has. Never
 * change a released one. A new one counts for the release in `schema-releases.ts`.
 */
const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE job (
    seq               INTEGER PRIMARY KEY,
    endpoint          TEXT    NOT NULL,
    id                TEXT    NOT NULL,
    state             TEXT    NOT NULL,
    position          INTEGER NOT NULL,
    -- '' while the job waits; the worker while it runs, and after a cancel until it is known to have stopped
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
    -- of the newest hand-out; counts until the worker has shown that it got the job
    lease_ends_at     INTEGER,
    ended_at          INTEGER,
    ttl               INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    execution_timeout INTEGER NOT NULL,
    retention         INTEGER NOT NULL,
    due_at            INTEGER NOT NULL,
    low_priority      INTEGER NOT NULL,
    -- 1 when something of the job lies outside of its row: a payload, a chunk
    beside            INTEGER NOT NULL,
    chunks            INTEGER NOT NULL DEFAULT 0,
    cursor            INTEGER NOT NULL DEFAULT 0,
    -- payloads: a blob, or the number of a row of the table payload
    body              ANY     NOT NULL,
    secret            ANY,
    output            ANY,
    error             ANY,
    progress          ANY,
    UNIQUE (endpoint, id),
    CHECK (state IN ('IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    CHECK ((state = 'IN_QUEUE') = (holder IS NOT NULL AND holder = '')),
    CHECK (state <> 'IN_QUEUE' OR (worker IS NULL AND taken_at IS NULL)),
    CHECK (state <> 'IN_PROGRESS' OR (holder IS NOT NULL AND holder = worker AND taken_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (state IN ('IN_QUEUE', 'IN_PROGRESS'))),
    CHECK (output IS NULL OR state = 'COMPLETED'),
    CHECK (error IS NULL OR state IN ('FAILED', 'TIMED_OUT')),
    CHECK (progress IS NULL OR state = 'IN_PROGRESS'),
    CHECK (attempt >= losses + undelivered),
    CHECK (cursor BETWEEN 0 AND chunks)
  ) STRICT;
  CREATE INDEX job_held ON job (endpoint, holder, position) WHERE holder IS NOT NULL;
  CREATE INDEX job_due ON job (due_at);

  CREATE TABLE payload (
    ref   INTEGER PRIMARY KEY,
    bytes BLOB,
    file  TEXT,
    size  INTEGER NOT NULL,
    CHECK ((bytes IS NULL) <> (file IS NULL))
  ) STRICT;
  CREATE UNIQUE INDEX payload_file ON payload (file) WHERE file IS NOT NULL;

  CREATE TABLE chunk (
    job     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    content ANY     NOT NULL,
    PRIMARY KEY (job, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counter (
    endpoint            TEXT PRIMARY KEY,
    queued              INTEGER NOT NULL DEFAULT 0 CHECK (queued >= 0),
    queued_low_priority INTEGER NOT NULL DEFAULT 0 CHECK (queued_low_priority BETWEEN 0 AND queued),
    running             INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0),
    completed           INTEGER NOT NULL DEFAULT 0,
    failed              INTEGER NOT NULL DEFAULT 0,
    retried             INTEGER NOT NULL DEFAULT 0,
    ignored             INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE contact (
    endpoint     TEXT    NOT NULL,
    worker       TEXT    NOT NULL,
    last_contact INTEGER NOT NULL,
    PRIMARY KEY (endpoint, worker)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX contact_last ON contact (last_contact);

  CREATE TABLE record (
    kind    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    account TEXT    NOT NULL,
    name    TEXT,
    version INTEGER NOT NULL,
    change  INTEGER NOT NULL UNIQUE,
    -- NULL: removed
    body    TEXT,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX record_name ON record (kind, account, name) WHERE body IS NOT NULL AND name IS NOT NULL;

  -- the largest time that any step was given
  CREATE TABLE clock (latest INTEGER NOT NULL) STRICT;
  INSERT INTO clock VALUES (0);
  `,
  `
  CREATE TABLE idempotency (
    endpoint TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    -- of the job that the key made
    id       TEXT    NOT NULL,
    -- its seq, and its last state when it is gone
    job      INTEGER,
    state    TEXT,
    digest   BLOB    NOT NULL,
    until    INTEGER NOT NULL,
    PRIMARY KEY (endpoint, key),
    CHECK ((job IS NULL) = (state IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX idempotency_job ON idempotency (job) WHERE job IS NOT NULL;
  CREATE INDEX idempotency_until ON idempotency (until);
  `,
  `
  -- sizes of body and secret together
  ALTER TABLE job ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0);
  UPDATE job SET bytes =
    CASE typeof(body) WHEN 'integer' THEN (SELECT size FROM payload WHERE ref = body) ELSE length(body) END +
    CASE typeof(secret) WHEN 'integer' THEN (SELECT size FROM payload WHERE ref = secret)
                        WHEN 'null' THEN 0 ELSE length(secret) END;
  ALTER TABLE counter ADD COLUMN queued_bytes INTEGER NOT NULL DEFAULT 0 CHECK (queued_bytes >= 0);
  UPDATE counter SET queued_bytes =
    (SELECT coalesce(sum(bytes), 0) FROM job WHERE job.endpoint = counter.endpoint AND holder = '');
  `,
  `
  -- An index for each question. With one for all, who looks for unfinished jobs that are due passes every
  -- result whose time is over, and who removes results that are one row passes every one that is more.
  DROP INDEX job_due;
  CREATE INDEX job_due ON job (due_at) WHERE ended_at IS NULL;
  CREATE INDEX job_kept ON job (beside, due_at) WHERE ended_at IS NOT NULL;
  `,
  `
  -- sizes of the chunks of this attempt together
  ALTER TABLE job ADD COLUMN chunk_bytes INTEGER NOT NULL DEFAULT 0 CHECK (chunk_bytes >= 0);
  UPDATE job SET chunk_bytes =
    (SELECT coalesce(sum(
       CASE typeof(content) WHEN 'integer' THEN (SELECT size FROM payload WHERE ref = content)
                            ELSE length(content) END), 0)
     FROM chunk WHERE chunk.job = job.seq)
  WHERE chunks > 0;
  `,
  `
  -- the address to call at the end, sealed, and its host and port
  ALTER TABLE job ADD COLUMN webhook BLOB;
  ALTER TABLE job ADD COLUMN receiver TEXT CHECK ((receiver IS NULL) = (webhook IS NULL));

  -- how many rows name it: a job, and a delivery with the record of its end
  ALTER TABLE payload ADD COLUMN names INTEGER NOT NULL DEFAULT 1 CHECK (names > 0);

  -- The webhook of one end of a job, written with that end.
  CREATE TABLE delivery (
    seq       INTEGER PRIMARY KEY,
    endpoint  TEXT    NOT NULL,
    id        TEXT    NOT NULL,
    receiver  TEXT    NOT NULL,
    webhook   BLOB    NOT NULL,
    state     TEXT    NOT NULL DEFAULT 'PENDING',
    -- of the next attempt; while it is claimed, until when; after the last, when the row goes
    due_at    INTEGER NOT NULL,
    owner     TEXT,
    started   INTEGER NOT NULL DEFAULT 0,
    attempts  INTEGER NOT NULL DEFAULT 0,
    -- what came of the last attempt
    tried_at  INTEGER,
    status    INTEGER,
    reason    TEXT,
    -- the record of the job as it was then
    job       TEXT    NOT NULL,
    job_state TEXT    NOT NULL,
    queued_at INTEGER NOT NULL,
    taken_at  INTEGER,
    ended_at  INTEGER NOT NULL,
    worker    TEXT,
    losses    INTEGER NOT NULL,
    output    ANY,
    error     ANY,
    -- sizes of output and error together
    size      INTEGER NOT NULL,
    UNIQUE (endpoint, id),
    CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
    CHECK (owner IS NULL OR state = 'PENDING'),
    CHECK (attempts BETWEEN 0 AND started),
    CHECK (job_state IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))
  ) STRICT;
  CREATE INDEX delivery_due ON delivery (receiver, due_at) WHERE state = 'PENDING';
  CREATE INDEX delivery_kept ON delivery (due_at) WHERE state <> 'PENDING';
  CREATE INDEX delivery_owner ON delivery (owner) WHERE owner IS NOT NULL;
  `,
  `
  -- what has happened on an endpoint from "at" on, for "width" ms, as domain/figures.ts writes it
  CREATE TABLE statistics (
    endpoint TEXT    NOT NULL,
    width    INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    server   TEXT    NOT NULL,
    figures  TEXT    NOT NULL,
    PRIMARY KEY (endpoint, width, at, server)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX statistics_at ON statistics (width, at);
  `,
  `
  -- What is kept of attempts beside the rows of their jobs; such a job has beside 1.
  CREATE TABLE attempt (
    job        INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    -- JSON: how it went, where its job went on; how long its worker took to start
    ended      TEXT,
    cold_start TEXT,
    -- what its worker reported beside its error
    output     TEXT,
    PRIMARY KEY (job, number),
    CHECK (coalesce(ended, cold_start, output) IS NOT NULL)
  ) STRICT, WITHOUT ROWID;
  `,
  ...MIGRATIONS_OF_0_2,
];

/** From this migration on, the data says which version it requires. */
const NAMES_VERSION = 12;

/** How many migrations this Forebay knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** How many migrations the database has; 0 if it has no tables. */
export function schemaVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

const HAS_REQUIRED = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'required'";

/** The oldest version that opens the data; undefined if only version 0.1 has written it. */
export function requiredVersion(database: Database): string | undefined {
  if (database.query(HAS_REQUIRED).get() === null) return undefined;
  return database.query<{ version: string }, []>("SELECT version FROM required").get()?.version;
}

/** Updates the schema, each migration in its own transaction. Refuses data of a newer Forebay. */
export function migrate(database: Database): void {
  const found = schemaVersion(database);
  if (found > MIGRATIONS.length) throw newerDataError(found, requiredVersion(database));
  for (const [index, migration] of MIGRATIONS.slice(found).entries()) {
    const number = found + index + 1;
    database
      .transaction(() => {
        if (typeof migration === "string") database.run(migration);
        else migration(database);
        if (number >= NAMES_VERSION) nameVersion(database, releaseOf("sqlite", number).version);
        database.run(`PRAGMA user_version = ${number}`);
      })
      .immediate();
  }
}

function nameVersion(database: Database, version: string): void {
  database.run("DELETE FROM required");
  database.run("INSERT INTO required VALUES (?1)", [version]);
}
