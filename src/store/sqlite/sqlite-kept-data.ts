import { existsSync } from "node:fs";
import { join } from "node:path";
import { ForebayError, PayloadDamaged } from "../../domain/errors.ts";
import type { Payload, StoredPayload } from "../../domain/payload.ts";
import type { AllocatedDevice } from "../allocations.ts";
import type {
  KeptAttemptRow,
  KeptChunk,
  KeptContact,
  KeptData,
  KeptDelivery,
  KeptHistory,
  KeptIdempotencyKey,
  KeptJob,
  KeptPayload,
  KeptRecord,
  KeptStatistics,
} from "../kept-data.ts";
import type { PastWorkerRow } from "../past-workers.ts";
import type { Counts } from "../store.ts";
import { readPayloadFile } from "../payload-files.ts";
import type { TallyRow } from "../tally.ts";
import { ALLOCATIONS } from "./sqlite-allocations.ts";
import { type Database, prepare, type Statement } from "./sqlite-driver.ts";
import { JOB_COLUMNS, RESULT_COLUMNS, type ResultRow, type StoredJob } from "./sqlite-job-row.ts";
import { moveNewChunks } from "./sqlite-new-chunks.ts";
import { databaseIn, lockDirectory, markMoved, openInDirectory } from "./sqlite-open.ts";
import { PAST_WORKER_COLUMNS } from "./sqlite-past-workers.ts";
import { type PayloadColumn, type Payloads, payloads } from "./sqlite-payloads.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/**
 * Counts all rows of a database, as rows `endpoint`, `kind`, `count`; without those of tables that a database
 * of version 0.1 does not have.
 */
export const TALLY = `
  SELECT '' AS endpoint, kind || ' records' AS kind, count(*) AS count
  FROM record WHERE body IS NOT NULL GROUP BY kind
  UNION ALL SELECT '', 'large payloads', count(*) FROM payload WHERE file IS NOT NULL HAVING count(*) > 0
  UNION ALL SELECT '', 'bytes of large payloads', sum(size)
  FROM payload WHERE file IS NOT NULL HAVING count(*) > 0
  UNION ALL SELECT * FROM (
    SELECT endpoint, 'jobs ' || state AS kind, count(*) FROM job GROUP BY endpoint, state
    UNION ALL SELECT endpoint, 'chunks', count(*) FROM chunk JOIN job ON job.seq = chunk.job GROUP BY endpoint
    UNION ALL SELECT endpoint, 'attempts', count(*)
    FROM attempt JOIN job ON job.seq = attempt.job GROUP BY endpoint
    UNION ALL SELECT endpoint, 'idempotency keys', count(*) FROM idempotency GROUP BY endpoint
    UNION ALL SELECT endpoint, 'webhooks ' || state, count(*) FROM delivery GROUP BY endpoint, state
    UNION ALL SELECT endpoint, 'worker contacts', count(*) FROM contact GROUP BY endpoint
    UNION ALL SELECT endpoint, 'slots of statistics', count(*) FROM statistics GROUP BY endpoint
    ORDER BY endpoint, kind)`;

const TALLY_OF_0_2 = `
  SELECT '' AS endpoint, 'allocated devices' AS kind, count(*) AS count FROM allocation HAVING count(*) > 0
  UNION ALL SELECT endpoint, 'past workers', count(*) FROM past_worker GROUP BY endpoint
  UNION ALL SELECT endpoint, 'records of finished jobs', count(*) FROM history GROUP BY endpoint`;

const PAST_WORKERS = `SELECT ${PAST_WORKER_COLUMNS} FROM past_worker`;

const COUNTERS = `
  SELECT endpoint, queued, queued_low_priority AS queuedLowPriority, queued_bytes AS queuedBytes, running,
         completed, failed, retried, ignored
  FROM counter`;

/** Without removed records: no server has a copy of them. */
const RECORDS = `
  SELECT kind, id, account, name, version, change, body FROM record WHERE body IS NOT NULL ORDER BY change`;

const PAYLOAD_FILES = "SELECT file, size, names FROM payload WHERE file IS NOT NULL";

const JOBS = `
  SELECT ${JOB_COLUMNS}, body, secret, ${RESULT_COLUMNS},
         EXISTS (SELECT 1 FROM idempotency WHERE idempotency.job = job.seq) AS keyed
  FROM job ORDER BY seq`;

const CHUNKS = `
  SELECT endpoint, id AS job, number, content
  FROM chunk JOIN job ON job.seq = chunk.job ORDER BY chunk.job, number`;

const ATTEMPTS = `
  SELECT endpoint, id AS job, number, ended, cold_start, attempt.output
  FROM attempt JOIN job ON job.seq = attempt.job ORDER BY attempt.job, number`;

const KEYS = `SELECT endpoint, key, id, state, digest, until FROM idempotency`;

const DELIVERIES = `
  SELECT endpoint, id, receiver, webhook, state, due_at, started, attempts, tried_at, status, reason, job,
         job_state, queued_at, taken_at, ended_at, worker, losses, size, output, error
  FROM delivery ORDER BY seq`;

const CONTACTS = "SELECT endpoint, worker, last_contact, pings, hung_up, stray_job, stray_since FROM contact";

interface WholeJobRow extends StoredJob, ResultRow {
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
  readonly keyed: number;
}

type WholeContactRow = Omit<KeptContact, "pings" | "hung_up"> & {
  readonly pings: number;
  readonly hung_up: number | null;
};

type WholeDeliveryRow = Omit<KeptDelivery, "payloads"> & Pick<ResultRow, "output" | "error">;

const HISTORY = `
  SELECT endpoint, id, state, queued_at, taken_at, ended_at, worker, attempt, tags, input_bytes, output_bytes,
         error, body_start, input, size
  FROM history ORDER BY number`;

type WholePastRow = Omit<KeptHistory, "payloads"> & { readonly input: PayloadColumn | null };

const TRIMMED_TO = 'SELECT trimmed_to AS "to" FROM history_size';

const STATISTICS = "SELECT endpoint, width, at, server, figures FROM statistics";

/**
 * Everything that a data directory stores, locked for this reader. Throws OperatorFault if there is no data,
 * if a server uses it, or if a newer Forebay has written it.
 */
export async function sqliteKeptData(directory: string): Promise<KeptData> {
  if (!existsSync(databaseIn(directory)))
    throw new OperatorFault(`${directory} is not a data directory of Forebay: it has no forebay.db.`);
  await using opening = new AsyncDisposableStack();
  opening.defer(lockDirectory(join(directory, "lock.db"), directory, "Stop it first."));
  const { database, close } = await openInDirectory(directory, undefined);
  opening.defer(close);
  moveNewChunks(database);
  const kept = payloads(database);
  const rows = <Row>(sql: string): Statement<Row, []> => prepare<Row, []>(database, sql);

  const opened = opening.move();
  return {
    tally: () => [TALLY, TALLY_OF_0_2].flatMap((sql) => rows<TallyRow>(sql).all()),

    *endpoints() {
      for (const { endpoint, ...counts } of rows<Counts & { endpoint: string }>(COUNTERS).iterate()) {
        yield { endpoint, counts };
      }
    },

    records: () => rows<KeptRecord>(RECORDS).iterate(),
    allocations: () => rows<AllocatedDevice>(ALLOCATIONS).iterate(),
    pastWorkers: () => rows<PastWorkerRow>(PAST_WORKERS).iterate(),
    payloads: () => rows<KeptPayload>(PAYLOAD_FILES).iterate(),
    readPayload: (payload) => readWhole(join(directory, "payloads"), payload),

    *jobs() {
      for (const row of rows<WholeJobRow>(JOBS).iterate()) yield keptJob(row, kept);
    },

    *chunks() {
      for (const row of rows<KeptChunk & { content: PayloadColumn }>(CHUNKS).iterate()) {
        yield { ...row, content: kept.load(row.content) };
      }
    },

    attempts: () => rows<KeptAttemptRow>(ATTEMPTS).iterate(),

    idempotencyKeys: () => rows<KeptIdempotencyKey>(KEYS).iterate(),

    *contacts() {
      for (const { pings, hung_up: hungUp, ...row } of rows<WholeContactRow>(CONTACTS).iterate()) {
        yield { ...row, pings: pings === 1, hung_up: hungUp === null ? null : hungUp === 1 };
      }
    },

    deliveries: () => keptDeliveries(database, kept),

    statistics: () => rows<KeptStatistics>(STATISTICS).iterate(),

    history: () => keptHistory(database, kept),
    historyTrimmedTo: () => rows<{ to: number }>(TRIMMED_TO).get()?.to ?? 0,
    latestTime: () => latestTime(database),
    leave: (place) => markMoved(directory, place),
    close: () => opened.disposeAsync(),
  };
}

function* keptDeliveries(database: Database, kept: Payloads): Generator<KeptDelivery> {
  const rows = prepare<WholeDeliveryRow, []>(database, DELIVERIES).iterate();
  for (const { output, error, ...row } of rows) {
    yield { ...row, payloads: { output: loaded(kept, output), error: loaded(kept, error) } };
  }
}

function* keptHistory(database: Database, kept: Payloads): Generator<KeptHistory> {
  for (const { input, ...row } of prepare<WholePastRow, []>(database, HISTORY).iterate()) {
    yield { ...row, payloads: { input: loaded(kept, input) } };
  }
}

function keptJob(row: WholeJobRow, kept: Payloads): KeptJob {
  const { seq: _seq, beside: _beside, proved, low_priority, keyed, ...others } = row;
  const { body, secret, output, error, progress, ...columns } = others;
  const load = (column: PayloadColumn | null) => loaded(kept, column);
  return {
    ...columns,
    proved: proved === 1,
    low_priority: low_priority === 1,
    keyed: keyed === 1,
    payloads: {
      body: kept.load(body),
      secret: load(secret),
      output: load(output),
      error: load(error),
      progress: load(progress),
    },
  };
}

function loaded(kept: Payloads, column: PayloadColumn | null): Payload | undefined {
  return column === null ? undefined : kept.load(column);
}

function latestTime(database: Database): number {
  return prepare<{ latest: number }, []>(database, "SELECT latest FROM clock").get()?.latest ?? 0;
}

/** The bytes of a payload, for `migrate-store`. Throws a sentence if they are damaged. */
async function readWhole(directory: string, { file, size, damage }: StoredPayload): Promise<Uint8Array> {
  try {
    if (damage !== undefined) throw new PayloadDamaged(damage);
    return await readPayloadFile(directory, file, size);
  } catch (error) {
    if (!(error instanceof ForebayError)) throw error;
    const where = error instanceof PayloadDamaged ? error.where : `${file}: ${String(error.cause)}`;
    const advice = "Put it back from a backup. `forebay doctor` names its job.";
    throw new OperatorFault(`a payload of a job is damaged or missing: ${where}. ${advice}`, {
      cause: error,
    });
  }
}
