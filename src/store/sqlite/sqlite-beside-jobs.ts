import type { JobColumns } from "../job-columns.ts";
import type { JobTransaction } from "../job-steps/job-transaction.ts";
import { sqliteAddDelivery } from "./sqlite-add-delivery.ts";
import { sqliteAttempts } from "./sqlite-attempts.ts";
import { sqliteChunks } from "./sqlite-chunks.ts";
import { sqliteContacts } from "./sqlite-contacts.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteRemovePast } from "./sqlite-history.ts";
import { sqliteIdempotency } from "./sqlite-idempotency.ts";
import { RESULT_COLUMNS, resultOf, type ResultRow } from "./sqlite-job-row.ts";
import { IN_ROW } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import type { TrackedJob, TrackedJobs } from "./sqlite-tracked-jobs.ts";

type BesideJobs = Pick<
  JobTransaction,
  | "result"
  | "append"
  | "chunks"
  | "clearChunks"
  | "keepAttempt"
  | "givenBack"
  | "replaceAttempt"
  | "earlier"
  | "remember"
  | "contact"
  | "deliver"
  | "removePast"
>;

/** What is stored outside the rows of jobs: chunks, attempts, keys, deliveries. Read and written at once. */
export function sqliteBesideJobs(tables: Tables, jobs: TrackedJobs): BesideJobs {
  const { database, payloads } = tables;
  const attempts = sqliteAttempts(database);
  const chunks = sqliteChunks(tables);
  const keys = sqliteIdempotency(database);
  const addDelivery = sqliteAddDelivery(tables);
  const readResult = resultReader(tables, jobs);

  /** From now on something of the job is stored outside its row. */
  function mark(tracked: TrackedJob): void {
    if (!tracked.row.beside) jobs.change(tracked, { ...tracked.row, beside: true });
  }

  return {
    contact: sqliteContacts(database),

    result: (job) => resultOf(readResult(job), payloads),

    append(job, added) {
      const tracked = jobs.of(job);
      chunks.append(tracked.seq, job.chunks, added);
      mark(tracked);
    },

    chunks: (job, start, limit, byteLimit) =>
      chunks.read(jobs.of(job).seq, start, job.chunks, limit, byteLimit),

    clearChunks(job) {
      const { seq, row } = jobs.of(job);
      if (row.beside) chunks.dropAll(seq);
    },

    keepAttempt(job, number, said) {
      if ((said.ended ?? said.cold_start ?? said.output ?? null) === null) return;
      const tracked = jobs.of(job);
      attempts.keep(tracked.seq, number, said);
      mark(tracked);
    },

    givenBack: (job) => attempts.givenBack(jobs.of(job).seq),
    replaceAttempt: (job, number, ended) => attempts.replace(jobs.of(job).seq, number, ended),

    earlier(endpoint, key) {
      const found = keys.find(endpoint, key);
      if (found === undefined) return undefined;
      const state = found.state ?? jobs.find(endpoint, found.id)?.row.state;
      if (state === undefined) throw new Error(`job ${found.id} is gone, and its key has not kept its state`);
      return { ...found, state };
    },

    remember: (key) => keys.remember(jobs.of(key).seq, key),

    removePast: sqliteRemovePast(tables),

    deliver(ended) {
      if (ended.receiver !== null) addDelivery(ended, readResult(ended));
    },
  };
}

/** Reads the columns of a result, with the bytes that are in the row. */
function resultReader({ database }: Tables, jobs: TrackedJobs): (job: JobColumns) => ResultRow {
  const select = prepare<ResultRow, [seq: number]>(
    database,
    `SELECT ${RESULT_COLUMNS} FROM job WHERE seq = ?1`,
  );

  return (job) => {
    const { seq, row } = jobs.of(job);
    const { output, error, progress } = row;
    if (output !== IN_ROW && error !== IN_ROW && progress !== IN_ROW) return row;
    const read = select.get(seq);
    if (read === null) throw new Error(`the row of job ${row.id} is missing`);
    return {
      output: output === IN_ROW ? read.output : output,
      error: error === IN_ROW ? read.error : error,
      progress: progress === IN_ROW ? read.progress : progress,
    };
  };
}
