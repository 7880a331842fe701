import { isUnfinished, JOB_STATES } from "../../domain/transitions.ts";
import { DELIVERY_SCHEMA } from "./postgres-delivery-schema.ts";
import { HISTORY_SCHEMA } from "./postgres-history.ts";
import { PAST_WORKER_SCHEMA } from "./postgres-past-workers.ts";

const states = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/**
 * The schema as a list of migrations; `forebay.schema` says which of them the database has. A migration that
 * has been released is never changed. It leaves a schema that the release before can work with, because
 * servers of that release still run, and it counts for the release in `schema-releases.ts`. Keys begin with
 * the endpoint; names compare as bytes.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- the endpoints that jobs can be sent to
  CREATE TABLE forebay.queue (endpoint text COLLATE "C" PRIMARY KEY);

  CREATE TABLE forebay.job (
    endpoint          text COLLATE "C" NOT NULL,
    id                text COLLATE "C" NOT NULL,
    state             text COLLATE "C" NOT NULL,
    position          bigint  NOT NULL,
    -- '' while the job waits; the worker while it runs, and after a cancel until it is known to have stopped
    holder            text COLLATE "C",
    worker            text COLLATE "C",
    attempt           integer NOT NULL DEFAULT 0,
    losses            integer NOT NULL DEFAULT 0,
    undelivered       integer NOT NULL DEFAULT 0,
    proved            boolean NOT NULL DEFAULT false,
    denials           integer NOT NULL DEFAULT 0,
    barred            text COLLATE "C",
    barred_until      bigint,
    queued_at         bigint  NOT NULL,
    taken_at          bigint,
    -- of the newest hand-out; counts until the worker has shown that it got the job
    lease_ends_at     bigint,
    ended_at          bigint,
    ttl               bigint  NOT NULL,
    expires_at        bigint  NOT NULL,
    execution_timeout bigint  NOT NULL,
    retention         bigint  NOT NULL,
    due_at            bigint  NOT NULL,
    low_priority      boolean NOT NULL DEFAULT false,
    -- sizes of body and secret together
    bytes             bigint  NOT NULL CHECK (bytes >= 0),
    -- whether an Idempotency-Key made it
    keyed             boolean NOT NULL DEFAULT false,
    chunks            integer NOT NULL DEFAULT 0,
    cursor            integer NOT NULL DEFAULT 0,
    -- payloads: the bytes, or the name and size of a row of the table payload
    body_ref          text COLLATE "C",
    secret_ref        text COLLATE "C",
    output_ref        text COLLATE "C",
    error_ref         text COLLATE "C",
    progress_ref      text COLLATE "C",
    body              bytea,
    secret            bytea,
    output            bytea,
    error             bytea,
    progress          bytea,
    PRIMARY KEY (endpoint, id),
    CHECK (state IN (${states(JOB_STATES)})),
    CHECK ((state = 'IN_QUEUE') = (holder IS NOT NULL AND holder = '')),
    CHECK (state <> 'IN_QUEUE' OR (worker IS NULL AND taken_at IS NULL)),
    CHECK (state <> 'IN_PROGRESS' OR (holder IS NOT NULL AND holder = worker AND taken_at IS NOT NULL)),
    CHECK ((ended_at IS NULL) = (state IN (${states(JOB_STATES.filter(isUnfinished))}))),
    CHECK ((body IS NULL) <> (body_ref IS NULL)),
    CHECK (secret IS NULL OR secret_ref IS NULL),
    CHECK (output IS NULL OR output_ref IS NULL),
    CHECK ((output IS NULL AND output_ref IS NULL) OR state = 'COMPLETED'),
    CHECK (error IS NULL OR error_ref IS NULL),
    CHECK ((error IS NULL AND error_ref IS NULL) OR state IN ('FAILED', 'TIMED_OUT')),
    CHECK (progress IS NULL OR progress_ref IS NULL),
    CHECK ((progress IS NULL AND progress_ref IS NULL) OR state = 'IN_PROGRESS'),
    CHECK (attempt >= losses + undelivered),
    CHECK (cursor BETWEEN 0 AND chunks)
  ) WITH (
    -- A row changes three times and goes: vacuum by number and not by share, and never slowed down.
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2,
    toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
  );
  CREATE INDEX job_held ON forebay.job (endpoint, holder, position) WHERE holder IS NOT NULL;
  CREATE INDEX job_due ON forebay.job (due_at);
  -- Payloads are bytes like any: compressing them costs more than it saves on what is read once or twice.
  ALTER TABLE forebay.job ALTER body SET STORAGE EXTERNAL, ALTER secret SET STORAGE EXTERNAL,
    ALTER output SET STORAGE EXTERNAL, ALTER error SET STORAGE EXTERNAL, ALTER progress SET STORAGE EXTERNAL;

  CREATE TABLE forebay.payload (
    file       uuid    PRIMARY KEY,
    size       bigint  NOT NULL,
    -- the time of the newest step when it was written: what no step has named long after goes
    written_at bigint  NOT NULL,
    named      boolean NOT NULL DEFAULT false
  );
  CREATE INDEX payload_unnamed ON forebay.payload (written_at) WHERE NOT named;
  CREATE TABLE forebay.payload_part (
    file   uuid    NOT NULL REFERENCES forebay.payload ON DELETE CASCADE,
    number integer NOT NULL,
    bytes  bytea   NOT NULL,
    PRIMARY KEY (file, number)
  );
  ALTER TABLE forebay.payload_part ALTER bytes SET STORAGE EXTERNAL;

  CREATE TABLE forebay.chunk (
    endpoint text COLLATE "C" NOT NULL,
    job      text COLLATE "C" NOT NULL,
    number   integer NOT NULL,
    size     integer NOT NULL,
    content  bytea,
    ref      text COLLATE "C",
    PRIMARY KEY (endpoint, job, number),
    CHECK ((content IS NULL) <> (ref IS NULL))
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  ALTER TABLE forebay.chunk ALTER content SET STORAGE EXTERNAL;

  -- One row for each lane of each server, so that no two write the same; a count is their sum.
  CREATE TABLE forebay.counter (
    endpoint            text COLLATE "C" NOT NULL REFERENCES forebay.queue ON DELETE CASCADE,
    slot                integer NOT NULL,
    queued              bigint  NOT NULL DEFAULT 0,
    queued_low_priority bigint  NOT NULL DEFAULT 0,
    queued_bytes        bigint  NOT NULL DEFAULT 0,
    running             bigint  NOT NULL DEFAULT 0,
    completed           bigint  NOT NULL DEFAULT 0,
    failed              bigint  NOT NULL DEFAULT 0,
    retried             bigint  NOT NULL DEFAULT 0,
    ignored             bigint  NOT NULL DEFAULT 0,
    PRIMARY KEY (endpoint, slot)
  ) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
          autovacuum_vacuum_cost_delay = 0);

  CREATE TABLE forebay.contact (
    endpoint     text COLLATE "C" NOT NULL,
    worker       text COLLATE "C" NOT NULL,
    last_contact bigint NOT NULL,
    PRIMARY KEY (endpoint, worker)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

  CREATE TABLE forebay.idempotency (
    endpoint text COLLATE "C" NOT NULL,
    key      text COLLATE "C" NOT NULL,
    -- of the job that the key made
    id       text COLLATE "C" NOT NULL,
    -- its last state; null as long as it is there
    state    text COLLATE "C",
    digest   bytea  NOT NULL,
    until    bigint NOT NULL,
    PRIMARY KEY (endpoint, key)
  );
  CREATE INDEX idempotency_job ON forebay.idempotency (endpoint, id) WHERE state IS NULL;
  CREATE INDEX idempotency_until ON forebay.idempotency (until);

  CREATE TABLE forebay.record (
    kind       text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    account    text COLLATE "C" NOT NULL,
    name       text COLLATE "C",
    version    integer NOT NULL,
    change     bigint  NOT NULL UNIQUE,
    -- null: removed, at this time
    body       text,
    removed_at bigint,
    PRIMARY KEY (kind, id),
    CHECK ((body IS NULL) = (removed_at IS NOT NULL))
  );
  CREATE UNIQUE INDEX record_name ON forebay.record (kind, account, name)
    WHERE body IS NOT NULL AND name IS NOT NULL;

  -- which server does what one does for all
  CREATE TABLE forebay.duty (
    name   text COLLATE "C" PRIMARY KEY,
    server text   NOT NULL,
    until  bigint NOT NULL
  ) WITH (fillfactor = 20);

  -- SHA-256 of the key that secrets are encrypted with
  CREATE TABLE forebay.secret_key (one boolean PRIMARY KEY DEFAULT true CHECK (one), digest text NOT NULL);

  -- the largest time that any step was given, or up to a second before it
  CREATE TABLE forebay.clock (latest bigint NOT NULL);
  INSERT INTO forebay.clock VALUES (0);
  `,
  `
  -- sizes of the chunks of this attempt together
  ALTER TABLE forebay.job ADD COLUMN chunk_bytes bigint NOT NULL DEFAULT 0 CHECK (chunk_bytes >= 0);
  UPDATE forebay.job SET chunk_bytes =
    (SELECT sum(size) FROM forebay.chunk WHERE chunk.endpoint = job.endpoint AND chunk.job = job.id)
  WHERE chunks > 0;
  `,
  `
  -- over, and not yet known to have stopped: what a worker holds otherwise need not be read for it
  CREATE INDEX job_stopping ON forebay.job (endpoint, holder) WHERE holder > '' AND ended_at IS NOT NULL;
  `,
  `
  -- until when each server lives, and what it says to the others
  CREATE TABLE forebay.server (
    server text COLLATE "C" PRIMARY KEY,
    word   text   NOT NULL,
    until  bigint NOT NULL
  ) WITH (fillfactor = 20);

  -- What the servers have let in of an operation. It is written often, and worth nothing 10 s later: so it
  -- waits for no disk, and a crash of the database may lose it.
  CREATE UNLOGGED TABLE forebay.rate (
    subject   text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    version   bigint NOT NULL,
    body      text   NOT NULL,
    until     bigint NOT NULL,
    PRIMARY KEY (subject, operation)
  ) WITH (
    fillfactor = 20,
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000,
    toast.autovacuum_vacuum_cost_delay = 0
  );
  `,
  DELIVERY_SCHEMA,
  `
  -- SHA-256 of the keys that secrets may be encrypted with; of the first one also where it was before
  CREATE TABLE forebay.sealing_key (digest text PRIMARY KEY);
  INSERT INTO forebay.sealing_key SELECT digest FROM forebay.secret_key;
  `,
  `
  -- What a server has counted on an endpoint from "at" on, for "width" ms, as domain/figures.ts writes it.
  CREATE TABLE forebay.statistics (
    endpoint text COLLATE "C" NOT NULL REFERENCES forebay.queue ON DELETE CASCADE,
    width    integer NOT NULL,
    at       bigint  NOT NULL,
    server   text COLLATE "C" NOT NULL,
    figures  text    NOT NULL,
    PRIMARY KEY (endpoint, width, at, server)
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
  CREATE INDEX statistics_at ON forebay.statistics (width, at);
  `,
  `
  -- what is kept of attempts beside the rows of their jobs
  CREATE TABLE forebay.attempt (
    endpoint   text COLLATE "C" NOT NULL,
    job        text COLLATE "C" NOT NULL,
    number     integer NOT NULL,
    -- JSON: how it went, where its job went on; how long its worker took to start
    ended      text,
    cold_start text,
    -- what its worker reported beside its error
    output     text,
    PRIMARY KEY (endpoint, job, number),
    CHECK (coalesce(ended, cold_start, output) IS NOT NULL)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  `,
  `
  -- CRC-32 of the bytes; null if a server of version 0.1 wrote them
  ALTER TABLE forebay.payload_part ADD COLUMN digest bigint;
  -- whether the server can read payloads in rows that carry a digest
  ALTER TABLE forebay.server ADD COLUMN reads_digests boolean NOT NULL DEFAULT false;
  `,
  `
  -- Decision 0033. Only ids of workers that share a token have a dash; these show again that they ping.
  -- hung_up: since its last open call was aborted, until it makes another call than a ping.
  -- stray_job: a job that its pings list and that it does not run; '' for none.
  ALTER TABLE forebay.contact
    ADD COLUMN pings boolean NOT NULL DEFAULT false,
    ADD COLUMN hung_up boolean,
    ADD COLUMN stray_job text COLLATE "C",
    ADD COLUMN stray_since bigint;
  UPDATE forebay.contact SET pings = true WHERE position('-' IN worker) = 0;
  `,
  `
  -- version: how many migrations a server must know to work on this database. Servers of 0.1 take it for the
  -- number of migrations that there are.
  -- migrations: how many there are; null, as long as servers of 0.1 made them all, for as many as version.
  -- requires: the oldest version of Forebay that works on this database.
  ALTER TABLE forebay.schema ADD COLUMN migrations integer, ADD COLUMN requires text;
  `,
  `
  -- Which worker has which device (decision 0039): a few rows, so that it needs no further index.
  -- device, card: UUIDs. worker: the id of its record, with which the row goes.
  CREATE TABLE forebay.allocation (
    device text COLLATE "C" PRIMARY KEY,
    card   text COLLATE "C" NOT NULL,
    host   text COLLATE "C" NOT NULL,
    worker text COLLATE "C" NOT NULL
  );
  `,
  PAST_WORKER_SCHEMA,
  HISTORY_SCHEMA,
];

/** How many migrations this Forebay knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;
