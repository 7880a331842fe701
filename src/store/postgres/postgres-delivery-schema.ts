/**
 * The migration that adds the webhooks of ended jobs. `names` counts the rows that name a payload: a job, and
 * a delivery with the record of its end.
 */
export const DELIVERY_SCHEMA = `
  -- the address to call at the end, sealed, and its host and port
  ALTER TABLE forebay.job ADD COLUMN webhook bytea, ADD COLUMN receiver text COLLATE "C",
    ADD CHECK ((receiver IS NULL) = (webhook IS NULL));
  ALTER TABLE forebay.job ALTER webhook SET STORAGE EXTERNAL;

  ALTER TABLE forebay.payload ADD COLUMN names integer NOT NULL DEFAULT 0;
  UPDATE forebay.payload SET names = 1 WHERE named;

  -- The webhook of one end of a job, written with that end.
  CREATE TABLE forebay.delivery (
    endpoint   text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    receiver   text COLLATE "C" NOT NULL,
    webhook    bytea   NOT NULL,
    state      text COLLATE "C" NOT NULL DEFAULT 'PENDING',
    -- of the next attempt; while it is claimed, until when; after the last, when the row goes
    due_at     bigint  NOT NULL,
    owner      text COLLATE "C",
    started    integer NOT NULL DEFAULT 0,
    attempts   integer NOT NULL DEFAULT 0,
    -- what came of the last attempt
    tried_at   bigint,
    status     integer,
    reason     text,
    -- the record of the job as it was then
    job        text COLLATE "C" NOT NULL,
    job_state  text COLLATE "C" NOT NULL,
    queued_at  bigint  NOT NULL,
    taken_at   bigint,
    ended_at   bigint  NOT NULL,
    worker     text COLLATE "C",
    losses     integer NOT NULL,
    output_ref text COLLATE "C",
    error_ref  text COLLATE "C",
    output     bytea,
    error      bytea,
    -- sizes of output and error together
    size       bigint  NOT NULL,
    PRIMARY KEY (endpoint, id),
    CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
    CHECK (owner IS NULL OR state = 'PENDING'),
    CHECK (attempts BETWEEN 0 AND started),
    CHECK (job_state IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT')),
    CHECK (output IS NULL OR output_ref IS NULL),
    CHECK (error IS NULL OR error_ref IS NULL)
  ) WITH (
    fillfactor = 80,
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0, toast.autovacuum_vacuum_cost_delay = 0
  );
  CREATE INDEX delivery_due ON forebay.delivery (receiver, due_at) WHERE state = 'PENDING';
  CREATE INDEX delivery_kept ON forebay.delivery (due_at) WHERE state <> 'PENDING';
  CREATE INDEX delivery_owner ON forebay.delivery (owner) WHERE owner IS NOT NULL;
  ALTER TABLE forebay.delivery ALTER output SET STORAGE EXTERNAL, ALTER error SET STORAGE EXTERNAL,
    ALTER webhook SET STORAGE EXTERNAL;
  `;
