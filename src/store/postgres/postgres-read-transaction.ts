import type { Payload } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import type { JobState } from "../../domain/transitions.ts";
import { keyOf } from "../key-of.ts";
import type { Drain, Step } from "../steps.ts";
import { array, givenRows } from "./postgres-arrays.ts";
import { type NewAttempt, READ_ATTEMPTS } from "./postgres-attempts.ts";
import { allOf, type Connection } from "./postgres-driver.ts";
import {
  BODY_COLUMNS,
  type CachedRow,
  JOB_COLUMNS,
  JOB_NAMES,
  type JobRow,
  RESULT_COLUMNS,
} from "./postgres-job-row.ts";
import { lockOldest, type TimedStep } from "./postgres-lock-oldest.ts";
import { payloadOf } from "./postgres-payload-columns.ts";
import { Transaction } from "./postgres-transaction.ts";

const WORKERS = givenRows({ endpoint: "text", worker: "text" }, 3);

/** Locks the rows that steps name, and the rows of workers that say which jobs they have, in one order. */
const LOCK_JOBS = `
  WITH named AS MATERIALIZED (
    SELECT endpoint, id FROM ${JOB_NAMES.source} AS named (${JOB_NAMES.names})
    UNION
    SELECT job.endpoint, job.id
    FROM ${WORKERS.source} AS seen (${WORKERS.names})
      JOIN forebay.job ON job.endpoint = seen.endpoint AND job.holder = seen.worker
  )
  SELECT ${JOB_COLUMNS}
  FROM named JOIN forebay.job ON job.endpoint = named.endpoint AND job.id = named.id
  ORDER BY job.endpoint, job.id
  FOR UPDATE OF job`;

/** Contents of rows that the transaction has locked. */
const READ_CONTENTS = (columns: string): string => `
  SELECT ${JOB_COLUMNS}, ${columns}
  FROM ${JOB_NAMES.source} AS named (${JOB_NAMES.names})
    JOIN forebay.job ON job.endpoint = named.endpoint AND job.id = named.id`;

const READ_BODIES = READ_CONTENTS(BODY_COLUMNS);
const READ_RESULTS = READ_CONTENTS(RESULT_COLUMNS);

/** Own counters: while they are locked nobody removes the endpoint. */
const LOCK_COUNTERS = `
  SELECT endpoint FROM forebay.counter
  WHERE endpoint = ANY($1::text[]) AND slot = $2
  ORDER BY endpoint FOR NO KEY UPDATE`;

const MAKE_COUNTERS = `
  INSERT INTO forebay.counter (endpoint, slot)
  SELECT endpoint, $2 FROM forebay.queue WHERE endpoint = ANY($1::text[]) ORDER BY endpoint
  ON CONFLICT DO NOTHING`;

/** Locks queues with a cap, so that no two submissions count at the same time what waits. */
const LOCK_QUEUES = `
  SELECT endpoint FROM forebay.queue WHERE endpoint = ANY($1::text[])
  ORDER BY endpoint FOR NO KEY UPDATE`;

const READ_FILL = `
  SELECT endpoint, sum(queued)::float8 AS queued, sum(queued_bytes)::float8 AS "queuedBytes"
  FROM forebay.counter WHERE endpoint = ANY($1::text[]) GROUP BY endpoint`;

const KEYS = givenRows({ endpoint: "text", key: "text" });

const READ_KEYS = `
  SELECT known.endpoint, known.key, known.id, known.digest, known.until::float8 AS until,
         coalesce(known.state, job.state) AS state
  FROM ${KEYS.source} AS asked (${KEYS.names})
    JOIN forebay.idempotency AS known ON known.endpoint = asked.endpoint AND known.key = asked.key
    LEFT JOIN forebay.job ON job.endpoint = known.endpoint AND job.id = known.id`;

const DRAINS = givenRows({
  endpoint: "text",
  id: "text",
  start: "bigint",
  count: "bigint",
  bytes: "bigint",
});

/** The chunks that a drain asks for: the last is the one that reaches its bytes. */
const READ_CHUNKS = `
  SELECT asked.endpoint, asked.id, found.content, found.ref
  FROM ${DRAINS.source} AS asked (${DRAINS.names})
    JOIN forebay.job ON job.endpoint = asked.endpoint AND job.id = asked.id
    CROSS JOIN LATERAL (
      SELECT number, content, ref, sum(size) OVER (ORDER BY number) - size AS before
      FROM (
        SELECT number, size, content, ref FROM forebay.chunk
        WHERE chunk.endpoint = asked.endpoint AND chunk.job = asked.id
          AND chunk.number >= coalesce(asked.start, job.cursor)
        ORDER BY number LIMIT asked.count
      ) AS next
    ) AS found
  WHERE found.before < asked.bytes
  ORDER BY asked.endpoint, asked.id, found.number`;

/**
 * Locks and reads all that the steps decide by, in two rounds at most: everything is asked for at once, and
 * only a missing counter, or jobs that somebody is barred from, need another question. What is `cached` is
 * not read, and not locked before it is written.
 */
export async function readTransaction(
  connection: Connection,
  slot: number,
  steps: readonly TimedStep[],
  isDigested: boolean,
  cached: ReadonlyMap<string, CachedRow> = new Map(),
): Promise<Transaction> {
  const transaction = new Transaction(isDigested);
  const asked = steps.map(({ step }) => step);
  // In the order of the keys, in which rows are locked: these are when they are written.
  for (const [, row] of [...cached].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    transaction.adoptCached(row);
  }
  const unread = asked.filter((step) => !namesJob(step) || !cached.has(keyOf(step.endpoint, step.id)));
  await allOf([
    // First of all, as the removal of an endpoint does it.
    lockCapped(connection, asked, transaction),
    lockCounters(connection, slot, asked, transaction),
    lockNamed(connection, unread, transaction),
    ...readContents(connection, asked, transaction),
    lockOldest(connection, steps, transaction),
    readKeys(connection, asked, transaction),
    readChunks(connection, asked, transaction),
  ]);
  return transaction;
}

async function lockCapped(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const capped = steps.filter((step) => "cap" in step && step.cap !== undefined);
  if (capped.length === 0) return;
  const endpoints = array([...new Set(capped.map(endpointOf))]);
  const [, fills] = await Promise.all([
    connection.query(LOCK_QUEUES, [endpoints]),
    connection.query<QueueFill & { endpoint: string }>(READ_FILL, [endpoints]),
  ]);
  for (const { endpoint, queued, queuedBytes } of fills) {
    transaction.adoptFill(endpoint, { queued, queuedBytes });
  }
}

async function lockCounters(
  connection: Connection,
  slot: number,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const making = steps.filter(({ step }) => step === "enqueue" || step === "retry");
  const endpoints = [...new Set(making.map(endpointOf))];
  if (endpoints.length === 0) return;
  const lock = async (names: string[]): Promise<void> => {
    const rows = await connection.query<{ endpoint: string }>(LOCK_COUNTERS, [array(names), slot]);
    for (const { endpoint } of rows) transaction.adoptEndpoint(endpoint);
  };
  await lock(endpoints);
  const missing = endpoints.filter((endpoint) => !transaction.hasEndpoint(endpoint));
  if (missing.length === 0) return;
  await connection.query(MAKE_COUNTERS, [array(missing), slot]);
  await lock(missing);
}

async function lockNamed(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const named = steps.filter(namesJob);
  const seen = steps.filter((step) => step.step === "seen").filter(({ shown }) => shown.kind !== "nothing");
  if (named.length === 0 && seen.length === 0) return;
  const names = [...JOB_NAMES.arrays(named), ...WORKERS.arrays(seen)];
  for (const row of await connection.query<JobRow>(LOCK_JOBS, names)) transaction.adopt(row);
  await readLateAttempts(connection, steps, transaction);
}

/**
 * The attempts of jobs that a result may end although its worker does not hold them: no other result needs
 * another question.
 */
async function readLateAttempts(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const returning = new Set(
    steps.flatMap((step) => (step.step === "giveBack" ? [keyOf(step.endpoint, step.id)] : [])),
  );
  const late = steps
    .filter((step) => step.step === "finish")
    .filter((step) => {
      if (step.mayBeLate !== true) return false;
      const row = transaction.find(step.endpoint, step.id);
      if (row === undefined || row.ended_at !== null) return false;
      return row.holder !== step.worker || returning.has(keyOf(step.endpoint, step.id));
    });
  if (late.length === 0) return;
  const rows = await connection.query<NewAttempt>(READ_ATTEMPTS, JOB_NAMES.arrays(late));
  const byJob = Map.groupBy(rows, ({ endpoint, job }) => keyOf(endpoint, job));
  for (const { endpoint, id } of late) {
    transaction.adoptAttempts(endpoint, id, byJob.get(keyOf(endpoint, id)) ?? []);
  }
}

/** The bodies of jobs that may go back into a queue from which a later step takes; the results of drains. */
function readContents(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void>[] {
  const taking = new Set(steps.filter((step) => step.step === "take").map((step) => step.endpoint));
  const returning = steps
    .filter((step) => step.step === "giveBack" || step.step === "retry")
    .filter((step) => taking.has(step.endpoint));
  const drains = steps.filter((step) => step.step === "drain");
  const read = async (statement: string, of: readonly NamingStep[]): Promise<void> => {
    if (of.length === 0) return;
    for (const row of await connection.query<JobRow>(statement, JOB_NAMES.arrays(of))) transaction.adopt(row);
  };
  return [read(READ_BODIES, returning), read(READ_RESULTS, drains)];
}

async function readKeys(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const keyed = steps.flatMap((step) =>
    step.step === "enqueue" && step.idempotency !== undefined
      ? [{ endpoint: step.endpoint, key: step.idempotency.key }]
      : [],
  );
  if (keyed.length === 0) return;
  const rows = await connection.query<KeyRow>(READ_KEYS, KEYS.arrays(keyed));
  for (const { endpoint, key, id, digest, state, until } of rows) {
    transaction.adoptEarlier(endpoint, key, { id, digest: new Uint8Array(digest), state, until });
  }
}

interface KeyRow {
  readonly endpoint: string;
  readonly key: string;
  readonly id: string;
  readonly digest: Uint8Array;
  readonly state: JobState;
  readonly until: number;
}

async function readChunks(
  connection: Connection,
  steps: readonly Step[],
  transaction: Transaction,
): Promise<void> {
  const drains = steps.filter((step) => step.step === "drain");
  if (drains.length === 0) return;
  const rows = await connection.query<ChunkRow>(READ_CHUNKS, DRAINS.arrays(drains.map(askedChunks)));
  for (const { endpoint, id, content, ref } of rows) {
    const key = keyOf(endpoint, id);
    const payload = payloadOf(content, ref);
    const before: readonly Payload[] = transaction.drained.get(key) ?? [];
    if (payload !== undefined) transaction.drained.set(key, [...before, payload]);
  }
}

/** The database knows no infinite number. */
function askedChunks({ endpoint, id, from, chunkLimit, byteLimit }: Drain) {
  const [count, bytes] = [chunkLimit, byteLimit].map((limit) => Math.min(limit, Number.MAX_SAFE_INTEGER));
  return { endpoint, id, start: from, count, bytes };
}

interface ChunkRow {
  readonly endpoint: string;
  readonly id: string;
  readonly content: Uint8Array | null;
  readonly ref: string | null;
}

type NamingStep = Extract<Step, { endpoint: string; id: string }>;

function namesJob(step: Step): step is NamingStep {
  return "endpoint" in step && "id" in step && step.step !== "enqueue";
}

function endpointOf(step: Step): string {
  return "endpoint" in step ? step.endpoint : "";
}
