import type { Counts } from "../store.ts";
import { allOf } from "./postgres-all-of.ts";
import { array, type Connection, type Parameter } from "./postgres-driver.ts";
import { PostgresCollision } from "./postgres-failure.ts";
import { columnNames, JOB_COLUMN_TYPES, type JobColumn, type JobRow } from "./postgres-job-row.ts";
import { REMOVE_CHUNKS, REMOVE_PAYLOADS } from "./postgres-remove-jobs.ts";
import { rowsAsTable } from "./postgres-rows-as-table.ts";
import type { TrackedJob, Unit } from "./postgres-unit.ts";

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
  SET ${COUNTER_COLUMNS.map((column) => `${column} = counter.${column} + excluded.${column}`).join(", ")}`;

/** Only whole ones: a crash of the database may have cost the last parts, for whose commits nobody waited. */
const NAME_PAYLOADS = `
  UPDATE forebay.payload SET named = true
  WHERE file = ANY($1::uuid[]) AND size = (
    SELECT coalesce(sum(octet_length(bytes)), 0) FROM forebay.payload_part AS part
    WHERE part.file = payload.file
  )
  RETURNING file`;

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

const ADD_CONTACTS = `
  INSERT INTO forebay.contact (endpoint, worker, last_contact)
  SELECT endpoint, worker, at
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS seen (endpoint, worker, at)
  ORDER BY endpoint, worker
  ON CONFLICT (endpoint, worker) DO UPDATE
  SET last_contact = greatest(contact.last_contact, excluded.last_contact)`;

/** Whether a row may refuse, so that the commit must wait for the answer of `writeUnit`. */
export function mayRefuse(unit: Unit): boolean {
  return unit.named.length > 0 || unit.newKeys.size > 0;
}

/**
 * Writes what steps have changed, one statement for all rows that change in the same columns. Refused by
 * a payload that is gone, and by a key that another server has just used.
 */
export async function writeUnit(
  connection: Connection,
  slot: number,
  now: number,
  unit: Unit,
): Promise<void> {
  const statements: Promise<void>[] = [];
  const write = (text: string, parameters: readonly Parameter[], check?: (rows: unknown[]) => void) => {
    statements.push(connection.query(text, parameters).then((rows) => check?.(rows)));
  };
  const jobs = [...unit.jobs.values()];

  addJobs(
    jobs.filter(({ before }) => before === undefined).map(({ row }) => row),
    write,
  );
  updateJobs(jobs, write);
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
  if (unit.dropped.length > 0) write(REMOVE_PAYLOADS, [array(unit.dropped, "uuid")]);
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
    const contacts = [...unit.contacts.values()];
    write(ADD_CONTACTS, [
      array(
        contacts.map((contact) => contact.endpoint),
        "text",
      ),
      array(
        contacts.map((contact) => contact.worker),
        "text",
      ),
      array(
        contacts.map((contact) => contact.at),
        "bigint",
      ),
    ]);
  }
  if (unit.counts.size > 0) {
    const counts = [...unit.counts.values()];
    write(ADD_COUNTS, [
      array([...unit.counts.keys()], "text"),
      slot,
      ...COUNTERS.map(([, field]) =>
        array(
          counts.map((count) => count[field] ?? 0),
          "bigint",
        ),
      ),
    ]);
  }
  await allOf(statements);
}

type Write = (text: string, parameters: readonly Parameter[]) => void;

/** Columns that say nothing in any row are left to their defaults: most of those of a job that waits. */
function addJobs(rows: readonly JobRow[], write: Write): void {
  if (rows.length === 0) return;
  const columns = columnNames().filter((column) => rows.some((row) => !isDefault(column, row[column])));
  const { source, parameters } = rowsAsTable(rows, columns, SAME_IN_NEW);
  write(`INSERT INTO forebay.job (${columns.join(", ")}) SELECT * FROM ${source}`, parameters);
}

function isDefault(column: JobColumn, value: JobRow[JobColumn]): boolean {
  if (value === 0) return JOB_COLUMN_TYPES[column] === "integer";
  return value === undefined || value === null || value === false;
}

/** Rows that change in the same columns share a statement. */
function updateJobs(jobs: readonly TrackedJob[], write: Write): void {
  const groups = new Map<string, { readonly columns: JobColumn[]; readonly rows: JobRow[] }>();
  for (const { row, before } of jobs) {
    if (before === undefined || before === row) continue;
    const columns = columnNames().filter(
      (column) => row[column] !== before[column] && isStoredColumn(row, column),
    );
    if (columns.length === 0) continue;
    const name = columns.join();
    const group = groups.get(name) ?? { columns, rows: [] };
    groups.set(name, group);
    group.rows.push(row);
  }
  for (const { columns, rows } of groups.values()) {
    const { source, parameters } = rowsAsTable(rows, ["endpoint", "id", ...columns], SAME_IN_CHANGED);
    write(
      `
      UPDATE forebay.job SET ${columns.map((column) => `${column} = given.${column}`).join(", ")}
      FROM ${source}
      WHERE job.endpoint = given.endpoint AND job.id = given.id`,
      parameters,
    );
  }
}

/** The body of a row is read after the row was locked: it is known then, not changed. */
function isStoredColumn(row: JobRow, column: JobColumn): boolean {
  return column !== "body" && column !== "secret" && row[column] !== undefined;
}

/**
 * What jobs that come together have in common, and what those that go the same way have. Not the endpoint of
 * those: given one, the planner reads all its jobs to find the few that are named.
 */
const SAME_IN_NEW = new Set<JobColumn>([
  "endpoint",
  "state",
  "holder",
  "ttl",
  "execution_timeout",
  "retention",
  "low_priority",
]);
const SAME_IN_CHANGED = new Set<JobColumn>([
  "state",
  "holder",
  "worker",
  "attempt",
  "taken_at",
  "lease_ends_at",
  "ended_at",
]);
