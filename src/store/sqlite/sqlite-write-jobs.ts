import { checkJob } from "../check-job.ts";
import { type Database, type ListStatement, type Parameter, prepareList } from "./sqlite-driver.ts";
import type { JobRow } from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";

export interface JobToWrite {
  readonly seq: number;
  readonly row: JobRow;
  /** The row as the database has it; undefined: it has none. */
  readonly before: JobRow | undefined;
  /** Of a new job. */
  readonly body: PayloadColumn | undefined;
  readonly secret: PayloadColumn | null;
}

/** Columns that can change; a new job names those that differ from their defaults. */
const CHANGING = [
  "state",
  "position",
  "holder",
  "worker",
  "attempt",
  "losses",
  "undelivered",
  "proved",
  "denials",
  "barred",
  "barred_until",
  "queued_at",
  "taken_at",
  "lease_ends_at",
  "ended_at",
  "expires_at",
  "due_at",
  "beside",
  "chunks",
  "chunk_bytes",
  "cursor",
  "output",
  "error",
  "progress",
] as const satisfies readonly (keyof JobRow)[];

type Changing = (typeof CHANGING)[number];

const DEFAULTS: Partial<JobRow> = {
  worker: null,
  attempt: 0,
  losses: 0,
  undelivered: 0,
  proved: false,
  denials: 0,
  barred: null,
  barred_until: null,
  taken_at: null,
  lease_ends_at: null,
  ended_at: null,
  chunks: 0,
  chunk_bytes: 0,
  cursor: 0,
  output: null,
  error: null,
  progress: null,
};

/** The other columns of a new job. */
const CONSTANT = `seq, endpoint, id, ttl, execution_timeout, retention, low_priority, bytes, receiver,
  webhook, tags, body, secret`;

/** A statement, and the columns that it writes. */
interface Write {
  readonly columns: readonly Changing[];
  readonly statement: ListStatement;
}

/**
 * Writes a job once: a new one by an INSERT, a changed one by an UPDATE of the columns that have changed. It
 * names no others, because SQLite writes an entry of each index that has a named column. Each set of columns
 * is one statement, which is compiled once. Throws if the job breaks a promise, or is no longer in the state
 * and attempt that it was in before (invariant 2).
 */
export function sqliteWriteJobs(database: Database): (job: JobToWrite) => void {
  const inserts = new Map<number, Write>();
  const updates = new Map<number, Write>();

  function insertOf(mask: number): Write {
    const columns = columnsIn(mask);
    const names = [CONSTANT, ...columns].join(", ");
    const values = Array.from(names.split(","), (_name, index) => `?${index + 1}`).join(", ");
    return { columns, statement: prepareList(database, `INSERT INTO job (${names}) VALUES (${values})`) };
  }

  function updateOf(mask: number): Write {
    const columns = columnsIn(mask);
    const changes = columns.map((column, index) => `${column} = ?${index + 4}`).join(", ");
    const sql = `UPDATE job SET ${changes} WHERE seq = ?1 AND state = ?2 AND attempt = ?3`;
    return { columns, statement: prepareList(database, sql) };
  }

  function insert({ seq, row, body, secret }: JobToWrite): void {
    const { columns, statement } = known(inserts, differences(row, DEFAULTS), insertOf);
    if (body === undefined) throw new Error(`job ${row.id} is new and has no body`);
    const parameters: Parameter[] = [
      seq,
      row.endpoint,
      row.id,
      row.ttl,
      row.execution_timeout,
      row.retention,
      row.low_priority,
      row.bytes,
      row.receiver,
      row.webhook,
      row.tags,
      body,
      secret,
    ];
    for (const column of columns) parameters.push(row[column]);
    statement.run(parameters);
  }

  function update(seq: number, row: JobRow, before: JobRow): void {
    const mask = differences(row, before);
    if (mask === 0) return;
    const { columns, statement } = known(updates, mask, updateOf);
    const parameters: Parameter[] = [seq, before.state, before.attempt];
    for (const column of columns) parameters.push(row[column]);
    const { changes } = statement.run(parameters);
    if (changes !== 1) {
      throw new Error(`job ${row.id} is not ${before.state} in attempt ${before.attempt} any more`);
    }
  }

  return (job) => {
    if (job.before === job.row) return;
    checkJob(job.row);
    if (job.before === undefined) insert(job);
    else update(job.seq, job.row, job.before);
  };
}

/** A bit for each of CHANGING that differs, in their order; a loop over them takes several times as long. */
function differences(row: JobRow, before: Partial<JobRow>): number {
  let mask = 0;
  if (row.state !== before.state) mask |= 1 << 0;
  if (row.position !== before.position) mask |= 1 << 1;
  if (row.holder !== before.holder) mask |= 1 << 2;
  if (row.worker !== before.worker) mask |= 1 << 3;
  if (row.attempt !== before.attempt) mask |= 1 << 4;
  if (row.losses !== before.losses) mask |= 1 << 5;
  if (row.undelivered !== before.undelivered) mask |= 1 << 6;
  if (row.proved !== before.proved) mask |= 1 << 7;
  if (row.denials !== before.denials) mask |= 1 << 8;
  if (row.barred !== before.barred) mask |= 1 << 9;
  if (row.barred_until !== before.barred_until) mask |= 1 << 10;
  if (row.queued_at !== before.queued_at) mask |= 1 << 11;
  if (row.taken_at !== before.taken_at) mask |= 1 << 12;
  if (row.lease_ends_at !== before.lease_ends_at) mask |= 1 << 13;
  if (row.ended_at !== before.ended_at) mask |= 1 << 14;
  if (row.expires_at !== before.expires_at) mask |= 1 << 15;
  if (row.due_at !== before.due_at) mask |= 1 << 16;
  if (row.beside !== before.beside) mask |= 1 << 17;
  if (row.chunks !== before.chunks) mask |= 1 << 18;
  if (row.chunk_bytes !== before.chunk_bytes) mask |= 1 << 19;
  if (row.cursor !== before.cursor) mask |= 1 << 20;
  if (row.output !== before.output) mask |= 1 << 21;
  if (row.error !== before.error) mask |= 1 << 22;
  if (row.progress !== before.progress) mask |= 1 << 23;
  return mask;
}

function columnsIn(mask: number): Changing[] {
  return CHANGING.filter((_column, index) => (mask & (1 << index)) !== 0);
}

function known(writes: Map<number, Write>, mask: number, compile: (mask: number) => Write): Write {
  const found = writes.get(mask);
  if (found !== undefined) return found;
  const write = compile(mask);
  writes.set(mask, write);
  return write;
}
