import type { Counts } from "../store.ts";
import { array, givenRows } from "./postgres-arrays.ts";
import {
  ADD_ATTEMPTS,
  NEW_ATTEMPTS,
  NEWEST_OLD_ATTEMPTS,
  newestOldAttempts,
  REMOVE_OLD_ATTEMPTS,
  REPLACE_ATTEMPTS,
  REPLACED_ATTEMPTS,
} from "./postgres-attempts.ts";
import { ADD_DELIVERIES, NEW_DELIVERIES } from "./postgres-deliveries.ts";
import { allOf, type Connection, type Parameter } from "./postgres-driver.ts";
import { PostgresCollision } from "./postgres-failure.ts";
import { REMOVE_PAST } from "./postgres-history.ts";
import { JOB_NAMES } from "./postgres-job-row.ts";
import { DROP_PAYLOADS, REMOVE_CHUNKS } from "./postgres-remove-jobs.ts";
import type { Transaction } from "./postgres-transaction.ts";
import { writeJobs } from "./postgres-write-jobs.ts";

/** The counters of an endpoint, and what they are called in the table. */
const COUNTERS: Readonly<Record<keyof Counts, string>> = {
  queued: "queued",
  queuedLowPriority: "queued_low_priority",
  queuedBytes: "queued_bytes",
  running: "running",
  completed: "completed",
  failed: "failed",
  retried: "retried",
  ignored: "ignored",
};

const COUNTER_COLUMNS = Object.values(COUNTERS);

const NEW_COUNTS = givenRows(
  {
    endpoint: "text",
    queued: "bigint",
    queuedLowPriority: "bigint",
    queuedBytes: "bigint",
    running: "bigint",
    completed: "bigint",
    failed: "bigint",
    retried: "bigint",
    ignored: "bigint",
  },
  2,
);

/** Only of endpoints that are there. */
const ADD_COUNTS = `
  INSERT INTO forebay.counter (endpoint, slot, ${COUNTER_COLUMNS.join(", ")})
  SELECT added.endpoint, $1, ${COUNTER_COLUMNS.map((column) => `added.${column}`).join(", ")}
  FROM ${NEW_COUNTS.source} AS added (endpoint, ${COUNTER_COLUMNS.join(", ")})
    JOIN forebay.queue ON queue.endpoint = added.endpoint
  ON CONFLICT (endpoint, slot) DO UPDATE
  SET ${COUNTER_COLUMNS.map((column) => `${column} = counter.${column} + excluded.${column}`).join(", ")}
  RETURNING pg_current_xact_id()::xid::text AS version`;

/** Only complete payloads: a crash can lose the last parts, because nobody waits for their commits. */
const NAME_PAYLOADS = `
  UPDATE forebay.payload SET named = true, names = payload.names + given.names
  FROM (SELECT file, count(*) AS names FROM unnest($1::uuid[]) AS given (file) GROUP BY file) AS given
  WHERE payload.file = given.file AND size = (
    SELECT coalesce(sum(octet_length(bytes)), 0) FROM forebay.payload_part AS part
    WHERE part.file = payload.file
  )
  RETURNING payload.file`;

const NEW_CHUNKS = givenRows({
  endpoint: "text",
  job: "text",
  number: "integer",
  size: "integer",
  content: "bytea",
  ref: "text",
});

const ADD_CHUNKS = `INSERT INTO forebay.chunk (${NEW_CHUNKS.names}) SELECT * FROM ${NEW_CHUNKS.source}`;

const NEW_KEYS = givenRows(
  { endpoint: "text", key: "text", id: "text", digest: "bytea", until: "bigint" },
  2,
);

const ADD_KEYS = `
  INSERT INTO forebay.idempotency (${NEW_KEYS.names}) SELECT * FROM ${NEW_KEYS.source}
  ON CONFLICT (endpoint, key) DO UPDATE
  SET id = excluded.id, state = NULL, digest = excluded.digest, until = excluded.until
  WHERE idempotency.until <= $1
  RETURNING id`;

const CONTACTS = givenRows({
  endpoint: "text",
  worker: "text",
  at: "bigint",
  pings: "boolean",
  hungUp: "boolean",
  stray: "text",
});

/** After a hang-up a ping renews nothing. */
const ADD_CONTACTS = `
  INSERT INTO forebay.contact (endpoint, worker, last_contact, pings, hung_up, stray_job, stray_since)
  SELECT endpoint, worker, at, pings, hung_up, stray_job, at
  FROM ${CONTACTS.source} AS seen (endpoint, worker, at, pings, hung_up, stray_job)
  ORDER BY endpoint, worker
  ON CONFLICT (endpoint, worker) DO UPDATE
  SET last_contact = CASE WHEN excluded.hung_up IS NULL AND contact.hung_up THEN contact.last_contact
                          ELSE greatest(contact.last_contact, excluded.last_contact) END,
      pings = contact.pings OR excluded.pings,
      hung_up = coalesce(excluded.hung_up, contact.hung_up),
      stray_job = coalesce(excluded.stray_job, contact.stray_job),
      stray_since = CASE WHEN excluded.stray_job IS NULL OR excluded.stray_job = contact.stray_job
                         THEN contact.stray_since ELSE excluded.stray_since END`;

/** Whether a row may refuse, so that the commit must wait for the answer of `writeTransaction`. */
export function mayRefuse(transaction: Transaction): boolean {
  return transaction.named.length > 0 || transaction.newKeys.size > 0;
}

/**
 * Writes what the steps have changed: one statement for all rows that change in the same columns. Answers the
 * id of the transaction in the database, if it is known. Throws if a payload is missing, if another server
 * has just used a key, and, as stale, if a row that was not locked has changed.
 */
export async function writeTransaction(
  connection: Connection,
  slot: number,
  now: number,
  transaction: Transaction,
): Promise<string | undefined> {
  let version: string | undefined;
  const statements: Promise<unknown>[] = [];
  const write = (text: string, parameters: readonly Parameter[], check?: (rows: unknown[]) => void) => {
    const answer = connection.query(text, parameters);
    statements.push(check === undefined ? answer : answer.then(check));
  };
  const newAttempts = [...transaction.newAttempts.values()];
  const oldAttempts = newestOldAttempts(newAttempts);

  writeJobs(transaction.jobs.values(), write);
  if (transaction.cleared.size > 0) write(REMOVE_CHUNKS, JOB_NAMES.arrays([...transaction.cleared.values()]));
  if (transaction.newChunks.length > 0) write(ADD_CHUNKS, NEW_CHUNKS.arrays(transaction.newChunks));
  if (transaction.named.length > 0) {
    write(NAME_PAYLOADS, [array(transaction.named)], (rows) => {
      const missing = new Set(transaction.named).size - rows.length;
      if (missing > 0)
        throw new PostgresCollision(`${missing} payloads that steps name are not there as a whole`);
    });
  }
  const { newDeliveries, dropped } = transaction;
  if (newDeliveries.length > 0) write(ADD_DELIVERIES, NEW_DELIVERIES.arrays(newDeliveries));
  if (newAttempts.length > 0) write(ADD_ATTEMPTS, NEW_ATTEMPTS.arrays(newAttempts));
  if (oldAttempts.length > 0) write(REMOVE_OLD_ATTEMPTS, NEWEST_OLD_ATTEMPTS.arrays(oldAttempts));
  if (transaction.replacedAttempts.length > 0)
    write(REPLACE_ATTEMPTS, REPLACED_ATTEMPTS.arrays(transaction.replacedAttempts));
  if (transaction.notPast.length > 0) write(REMOVE_PAST, JOB_NAMES.arrays(transaction.notPast));
  if (dropped.length > 0) for (const text of DROP_PAYLOADS) write(text, [array(dropped)]);
  if (transaction.newKeys.size > 0) {
    const keys = [...transaction.newKeys.values()];
    write(ADD_KEYS, [now, ...NEW_KEYS.arrays(keys)], (rows) => {
      if (rows.length < keys.length) throw new PostgresCollision("another server has just used the key");
    });
  }
  if (transaction.contacts.size > 0) write(ADD_CONTACTS, CONTACTS.arrays([...transaction.contacts.values()]));
  if (transaction.counts.size > 0) {
    const parameters = [slot, ...NEW_COUNTS.arrays([...transaction.counts.values()])];
    const adding = connection.query<{ version: string }>(ADD_COUNTS, parameters);
    // Every row that a transaction writes has the same version.
    statements.push(adding.then(([row]) => void (version = row?.version)));
  }
  await allOf(statements);
  return version;
}
