import type { SQL } from "bun";

/** Tables whose rows are compared as they are. */
const TABLES = [
  "queue",
  "job",
  "chunk",
  "contact",
  "idempotency",
  "attempt",
  "delivery",
  "statistics",
  "allocation",
  "past_worker",
  "payload",
];

/** Each server and connection has counters of its own: only their sums count. */
const COUNTERS = `
  SELECT 'counter ' || to_jsonb(sums)::text AS line FROM (
    SELECT endpoint, sum(queued) AS queued, sum(queued_low_priority) AS queued_low_priority,
           sum(queued_bytes) AS queued_bytes, sum(running) AS running, sum(completed) AS completed,
           sum(failed) AS failed, sum(retried) AS retried, sum(ignored) AS ignored
    FROM forebay.counter GROUP BY endpoint
  ) AS sums
  WHERE (queued, queued_low_priority, queued_bytes, running, completed, failed, retried, ignored)
     <> (0, 0, 0, 0, 0, 0, 0, 0)`;

/** Change numbers go on from case to case: only their order counts. */
const RECORDS = `
  SELECT 'record ' || (to_jsonb(record) - 'change')::text || ' ' || row_number() OVER (ORDER BY change)
  FROM forebay.record`;

const ALL_ROWS = [
  ...TABLES.map((name) => `SELECT '${name} ' || to_jsonb(${name})::text AS line FROM forebay.${name}`),
  COUNTERS,
  RECORDS,
].join(" UNION ALL ");

const EMPTY = [...TABLES.filter((name) => name !== "payload"), "payload", "record"]
  .map((name) => `DELETE FROM forebay.${name}`)
  .join("; ");

/** Every row of the database as a line of text, with `endpoint` under the name that it has in all cases. */
export async function shownData(admin: SQL, endpoint: string): Promise<string[]> {
  const rows: { line: string }[] = await admin.unsafe(ALL_ROWS);
  return rows.map(({ line }) => comparable(line, endpoint)).toSorted();
}

/** An answer as text, with `endpoint` under the name that it has in all cases. */
export function shownAnswer(answer: unknown, endpoint: string): string {
  const text = JSON.stringify({ answer }, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
  );
  return comparable(text, endpoint);
}

export async function emptyDatabase(admin: SQL): Promise<void> {
  await admin.unsafe(EMPTY);
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function comparable(text: string, endpoint: string): string {
  return text.replaceAll(endpoint, "endpoint").replaceAll(UUID, "file");
}
