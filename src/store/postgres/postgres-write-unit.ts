import type { Counts } from "../store.ts";
import { allOf } from "./postgres-all-of.ts";
import {
  ADD_ATTEMPTS,
  newAttemptColumns,
  oldAttemptColumns,
  REMOVE_OLD_ATTEMPTS,
  REPLACE_ATTEMPTS,
  replacedAttemptColumns,
} from "./postgres-attempts.ts";
import { ADD_CONTACTS, contactColumns } from "./postgres-contact.ts";
import { array, type Connection, type Parameter } from "./postgres-driver.ts";
import { PostgresCollision } from "./postgres-failure.ts";
import { ADD_DELIVERIES, newDeliveryColumns } from "./postgres-new-deliveries.ts";
import { DROP_PAYLOADS, REMOVE_CHUNKS } from "./postgres-remove-jobs.ts";
import type { Unit } from "./postgres-unit.ts";
import { writeJobs } from "./postgres-write-jobs.ts";

const COUNTERS: readonly (readonly [column: string, field: keyof Counts])[] = [
  ["queued", "queued"],
  ["queued_low_priority", "queuedLowPriority"],
  ["queued_bytes", "queuedBytes"],
  ["running", "running"],
  ["completed", "completed"],
  ["failed", "failed"],
  ["retried", "retried"],
  ["ignored", "ignored"],
];

const COUNTER_COLUMNS = COUNTERS.map(([column]) => column);

/** Only of endpoints that are there. */
const ADD_COUNTS = `
  INSERT INTO forebay.counter (endpoint, slot, ${COUNTER_COLUMNS.join(", ")})
  SELECT added.endpoint, $2, ${COUNTER_COLUMNS.map((column) => `added.${column}`).join(", ")}
  FROM unnest($1::text[], ${COUNTERS.map((_, index) => `$${index + 3}::bigint[]`).join(", ")})
      AS added (endpoint, ${COUNTER_COLUMNS.join(", ")})
    JOIN forebay.queue ON queue.endpoint = added.endpoint
  ON CONFLICT (endpoint, slot) DO UPDATE
  SET ${COUNTER_COLUMNS.map((column) => `${column} = counter.${column} + excluded.${column}`).join(", ")}
  RETURNING pg_current_xact_id()::xid::text AS version`;

/** Only whole ones: a crash of the database may have cost the last parts, for whose commits nobody waited. */
const NAME_PAYLOADS = `
  UPDATE forebay.payload SET named = true, names = payload.names + given.names
  FROM (SELECT file, count(*) AS names FROM unnest($1::uuid[]) AS given (file) GROUP BY file) AS given
  WHERE payload.file = given.file AND size = (
    SELECT coalesce(sum(octet_length(bytes)), 0) FROM forebay.payload_part AS part
    WHERE part.file = payload.file
  )
  RETURNING payload.file`;

const ADD_CHUNKS = `
  INSERT INTO forebay.chunk (endpoint, job, number, size, content, ref)
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::integer[], $5::bytea[], $6::text[])`;

const ADD_KEYS = `
  INSERT INTO forebay.idempotency (endpoint, key, id, digest, until)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::bigint[])
  ON CONFLICT (endpoint, key) DO UPDATE
  SET id = excluded.id, state = NULL, digest = excluded.digest, until = excluded.until
  WHERE idempotency.until <= $6
  RETURNING id`;

/** Whether a row may refuse, so that the commit must wait for the answer of `writeUnit`. */
export function mayRefuse(unit: Unit): boolean {
  return unit.named.length > 0 || unit.newKeys.size > 0;
}

/**
 * Writes what steps have changed, one statement for all rows that change in the same columns; answers the
 * transaction that did, when that is known. Refused by a payload that is gone, by a key that another server
 * has just used, and as stale by a row that was not locked and is another one now.
 */
export async function writeUnit(
  connection: Connection,
  slot: number,
  now: number,
  unit: Unit,
): Promise<string | undefined> {
  let version: string | undefined;
  const statements: Promise<void>[] = [];
  const write = (text: string, parameters: readonly Parameter[], check?: (rows: unknown[]) => void) => {
    statements.push(connection.query(text, parameters).then((rows) => check?.(rows)));
  };
  writeJobs([...unit.jobs.values()], write);
  if (unit.cleared.size > 0) {
    const cleared = [...unit.cleared.values()];
    write(REMOVE_CHUNKS, [
      array(
        cleared.map(({ endpoint }) => endpoint),
        "text",
      ),
      array(
        cleared.map(({ id }) => id),
        "text",
      ),
    ]);
  }
  if (unit.newChunks.length > 0) {
    const chunks = unit.newChunks;
    write(ADD_CHUNKS, [
      array(
        chunks.map((chunk) => chunk.endpoint),
        "text",
      ),
      array(
        chunks.map((chunk) => chunk.job),
        "text",
      ),
      array(
        chunks.map((chunk) => chunk.number),
        "integer",
      ),
      array(
        chunks.map((chunk) => chunk.size),
        "integer",
      ),
      array(
        chunks.map((chunk) => chunk.columns.content),
        "bytea",
      ),
      array(
        chunks.map((chunk) => chunk.columns.ref),
        "text",
      ),
    ]);
  }
  if (unit.named.length > 0) {
    write(NAME_PAYLOADS, [array(unit.named, "uuid")], (rows) => {
      const missing = new Set(unit.named).size - rows.length;
      if (missing > 0)
        throw new PostgresCollision(`${missing} payloads that steps name are not there as a whole`);
    });
  }
  if (unit.newDeliveries.length > 0) write(ADD_DELIVERIES, newDeliveryColumns(unit.newDeliveries));
  if (unit.newAttempts.size > 0) {
    const attempts = [...unit.newAttempts.values()];
    write(ADD_ATTEMPTS, newAttemptColumns(attempts));
    const old = oldAttemptColumns(attempts);
    if (old !== undefined) write(REMOVE_OLD_ATTEMPTS, old);
  }
  if (unit.replacedAttempts.length > 0) {
    write(REPLACE_ATTEMPTS, replacedAttemptColumns(unit.replacedAttempts));
  }
  if (unit.dropped.length > 0) {
    for (const text of DROP_PAYLOADS) write(text, [array(unit.dropped, "uuid")]);
  }
  if (unit.newKeys.size > 0) {
    const keys = [...unit.newKeys.values()];
    const parameters = [
      array(
        keys.map((key) => key.endpoint),
        "text",
      ),
      array(
        keys.map((key) => key.key),
        "text",
      ),
      array(
        keys.map((key) => key.id),
        "text",
      ),
      array(
        keys.map((key) => key.digest),
        "bytea",
      ),
      array(
        keys.map((key) => key.until),
        "bigint",
      ),
      now,
    ];
    write(ADD_KEYS, parameters, (rows) => {
      if (rows.length < keys.length) throw new PostgresCollision("another server has just used the key");
    });
  }
  if (unit.contacts.size > 0) {
    write(ADD_CONTACTS, contactColumns([...unit.contacts.values()]));
  }
  if (unit.counts.size > 0) {
    const counts = [...unit.counts.values()];
    const parameters = [
      array([...unit.counts.keys()], "text"),
      slot,
      ...COUNTERS.map(([, field]) =>
        array(
          counts.map((count) => count[field] ?? 0),
          "bigint",
        ),
      ),
    ];
    // Every row that a transaction writes has the same version.
    const addCounts = async (): Promise<void> => {
      const [row] = await connection.query<{ version: string }>(ADD_COUNTS, parameters);
      version = row?.version;
    };
    statements.push(addCounts());
  }
  await allOf(statements);
  return version;
}
