import type { Payload } from "../../domain/payload.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobPayloads, JobTransaction } from "../job-steps/job-transaction.ts";
import { sqliteAddDelivery } from "./sqlite-add-delivery.ts";
import { sqliteAttempts } from "./sqlite-attempts.ts";
import { sqliteChunks } from "./sqlite-chunks.ts";
import { sqliteContacts } from "./sqlite-contacts.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteIdempotency } from "./sqlite-idempotency.ts";
import { NO_RESULT, RESULT_COLUMNS, resultOf, type ResultRow } from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { sqliteTrackedJobs, type TrackedJob, type TrackedJobs } from "./sqlite-tracked-jobs.ts";
import type { JobRow } from "./sqlite-write-jobs.ts";

/**
 * What steps about jobs change in one transaction: rows of jobs in memory until `flush`, and what lies beside
 * the rows at once.
 */
export interface SqliteUnit
  extends
    JobTransaction,
    Pick<TrackedJobs, "flush" | "release" | "forgetRunning" | "committed" | "rolledBack"> {}

interface SubmissionRow {
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
}

export function sqliteUnit(tables: Tables): SqliteUnit {
  const { database, payloads, counters } = tables;
  const jobs = sqliteTrackedJobs(tables);
  const attempts = sqliteAttempts(database);
  const chunks = sqliteChunks(tables);
  const keys = sqliteIdempotency(database);
  const addDelivery = sqliteAddDelivery(tables);
  const selectSubmission = prepare<SubmissionRow, [seq: number]>(
    database,
    "SELECT body, secret FROM job WHERE seq = ?1",
  );
  const selectResult = prepare<ResultRow, [seq: number]>(
    database,
    `SELECT ${RESULT_COLUMNS} FROM job WHERE seq = ?1`,
  );

  function readSubmission({ seq, row, body, secret }: TrackedJob): SubmissionRow {
    return body === undefined ? (selectSubmission.get(seq) ?? missing(row)) : { body, secret };
  }

  /** The columns of the result, with the bytes that are in the row. */
  function readResult({ seq, row }: TrackedJob): ResultRow {
    const { output, error, progress } = row;
    if (output !== IN_ROW && error !== IN_ROW && progress !== IN_ROW) return row;
    const read = selectResult.get(seq) ?? missing(row);
    return {
      output: output === IN_ROW ? read.output : output,
      error: error === IN_ROW ? read.error : error,
      progress: progress === IN_ROW ? read.progress : progress,
    };
  }

  /** The payload takes the place of another one. */
  function replace(before: PayloadColumn | null, by: Payload | undefined): PayloadColumn | null {
    const column = by === undefined ? null : payloads.keep(by);
    payloads.drop(before);
    return column;
  }

  function withResult(row: JobRow, columns: Partial<JobColumns>, result: JobPayloads): JobRow {
    const output = "output" in result ? replace(row.output, result.output) : row.output;
    const error = "error" in result ? replace(row.error, result.error) : row.error;
    const progress = "progress" in result ? replace(row.progress, result.progress) : row.progress;
    const beside = row.beside || isOutside(output) || isOutside(error) || isOutside(progress);
    return { ...row, ...columns, beside, output, error, progress };
  }

  /** Something of the job lies outside its row from now on. */
  function mark(tracked: TrackedJob): void {
    if (!tracked.row.beside) jobs.change(tracked, { ...tracked.row, beside: true });
  }

  return {
    ...jobs,
    hasEndpoint: (endpoint) => counters.has(endpoint),
    fill: (endpoint) => counters.fill(endpoint),
    count: (endpoint, change) => counters.add(endpoint, change),
    signal: (event, endpoint, id, worker, details) => tables.signal(event, endpoint, id, worker, details),
    contact: sqliteContacts(database),

    find: (endpoint, id) => jobs.find(endpoint, id)?.row,

    insert(job, submission) {
      const body = payloads.keep(submission.body);
      const secret = submission.secret === undefined ? null : payloads.keep(submission.secret);
      // A key lies beside its job: it learns of its end.
      const beside = isOutside(body) || isOutside(secret) || job.keyed;
      jobs.insert({ ...job, beside, ...NO_RESULT }, body, secret, submission);
    },

    change(job, columns, result) {
      const tracked = jobs.of(job);
      const { row } = tracked;
      jobs.change(tracked, result === undefined ? { ...row, ...columns } : withResult(row, columns, result));
      return tracked.row;
    },

    submission(job) {
      const tracked = jobs.of(job);
      if (tracked.submission !== undefined) return tracked.submission;
      const { body, secret } = readSubmission(tracked);
      return { body: payloads.load(body), secret: secret === null ? undefined : payloads.load(secret) };
    },

    result: (job) => resultOf(readResult(jobs.of(job)), payloads),

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

    deliver(ended) {
      if (ended.receiver !== null) addDelivery(ended, readResult(jobs.of(ended)));
    },
  };
}

function isOutside(column: PayloadColumn | null): boolean {
  return typeof column === "number" && column !== IN_ROW;
}

function missing({ id }: JobRow): never {
  throw new Error(`the row of job ${id} is missing`);
}
