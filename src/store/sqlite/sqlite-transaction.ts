import type { Payload } from "../../domain/payload.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobPayloads, JobTransaction } from "../job-steps/job-transaction.ts";
import { sqliteBesideJobs } from "./sqlite-beside-jobs.ts";
import { prepare } from "./sqlite-driver.ts";
import type { JobRow } from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn, type Payloads } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import type { TrackedJob, TrackedJobs } from "./sqlite-tracked-jobs.ts";

/**
 * What steps about jobs change in one transaction: the rows of jobs in memory until `jobs.flush`, and what is
 * stored outside these rows at once.
 */
export function sqliteTransaction(tables: Tables, jobs: TrackedJobs): JobTransaction {
  const { payloads, counters } = tables;
  const readSubmission = submissionReader(tables);

  return {
    ...sqliteBesideJobs(tables, jobs),
    hasEndpoint: (endpoint) => counters.has(endpoint),
    fill: (endpoint) => counters.fill(endpoint),
    count: (endpoint, change) => counters.add(endpoint, change),
    signal: (event, endpoint, id, worker, details) => tables.signal(event, endpoint, id, worker, details),

    find: (endpoint, id) => jobs.find(endpoint, id)?.row,
    waiting: (endpoint, count, may, now) => jobs.waiting(endpoint, count, may, now),
    heldBy: (endpoint, worker) => jobs.heldBy(endpoint, worker),

    insert(job, submission) {
      const body = payloads.keep(submission.body);
      const secret = submission.secret === undefined ? null : payloads.keep(submission.secret);
      // A key is stored outside the row of its job, and learns of its end.
      const beside = isOutside(body) || isOutside(secret) || job.keyed;
      jobs.insert({ ...job, beside, output: null, error: null, progress: null }, body, secret, submission);
    },

    change(job, columns, result) {
      const tracked = jobs.of(job);
      const { row } = tracked;
      const changed =
        result === undefined ? { ...row, ...columns } : withResult(row, columns, result, payloads);
      jobs.change(tracked, changed);
      return tracked.row;
    },

    submission(job) {
      const tracked = jobs.of(job);
      if (tracked.submission !== undefined) return tracked.submission;
      const { body, secret } = readSubmission(tracked);
      return { body: payloads.load(body), secret: secret === null ? undefined : payloads.load(secret) };
    },
  };
}

interface SubmissionRow {
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
}

/** Reads what was submitted, where it is not in memory. */
function submissionReader({ database }: Tables): (job: TrackedJob) => SubmissionRow {
  const select = prepare<SubmissionRow, [seq: number]>(
    database,
    "SELECT body, secret FROM job WHERE seq = ?1",
  );

  return ({ seq, row, body, secret }) => {
    if (body !== undefined) return { body, secret };
    const read = select.get(seq);
    if (read === null) throw new Error(`the row of job ${row.id} is missing`);
    return read;
  };
}

function withResult(
  row: JobRow,
  columns: Partial<JobColumns>,
  result: JobPayloads,
  payloads: Payloads,
): JobRow {
  const output = "output" in result ? replaced(row.output, result.output, payloads) : row.output;
  const error = "error" in result ? replaced(row.error, result.error, payloads) : row.error;
  const progress = "progress" in result ? replaced(row.progress, result.progress, payloads) : row.progress;
  const beside = row.beside || isOutside(output) || isOutside(error) || isOutside(progress);
  return { ...row, ...columns, beside, output, error, progress };
}

/** The column of a payload that takes the place of another one. */
function replaced(
  before: PayloadColumn | null,
  by: Payload | undefined,
  payloads: Payloads,
): PayloadColumn | null {
  const column = by === undefined ? null : payloads.keep(by);
  payloads.drop(before);
  return column;
}

function isOutside(column: PayloadColumn | null): boolean {
  return typeof column === "number" && column !== IN_ROW;
}
