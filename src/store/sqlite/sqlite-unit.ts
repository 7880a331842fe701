import type { Payload } from "../../domain/payload.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobPayloads, JobTransaction } from "../job-steps/job-transaction.ts";
import { sqliteBesideJobs } from "./sqlite-beside-jobs.ts";
import { prepare } from "./sqlite-driver.ts";
import type { JobRow } from "./sqlite-job-row.ts";
import { IN_ROW, type PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { sqliteTrackedJobs, type TrackedJob, type TrackedJobs } from "./sqlite-tracked-jobs.ts";

/**
 * What steps about jobs change in one transaction: rows of jobs in memory until `flush`, and what lies beside
 * the rows at once.
 */
export interface SqliteUnit
  extends JobTransaction, Pick<TrackedJobs, "flush" | "release" | "forget" | "committed" | "rolledBack"> {}

interface SubmissionRow {
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
}

export function sqliteUnit(tables: Tables): SqliteUnit {
  const { database, payloads, counters } = tables;
  const jobs = sqliteTrackedJobs(tables);
  const selectSubmission = prepare<SubmissionRow, [seq: number]>(
    database,
    "SELECT body, secret FROM job WHERE seq = ?1",
  );

  function readSubmission({ seq, row, body, secret }: TrackedJob): SubmissionRow {
    if (body !== undefined) return { body, secret };
    const read = selectSubmission.get(seq);
    if (read === null) throw new Error(`the row of job ${row.id} is missing`);
    return read;
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

  return {
    ...jobs,
    ...sqliteBesideJobs(tables, jobs),
    hasEndpoint: (endpoint) => counters.has(endpoint),
    fill: (endpoint) => counters.fill(endpoint),
    count: (endpoint, change) => counters.add(endpoint, change),
    signal: (event, endpoint, id, worker, details) => tables.signal(event, endpoint, id, worker, details),

    find: (endpoint, id) => jobs.find(endpoint, id)?.row,

    insert(job, submission) {
      const body = payloads.keep(submission.body);
      const secret = submission.secret === undefined ? null : payloads.keep(submission.secret);
      // A key lies beside its job: it learns of its end.
      const beside = isOutside(body) || isOutside(secret) || job.keyed;
      jobs.insert({ ...job, beside, output: null, error: null, progress: null }, body, secret, submission);
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
  };
}

function isOutside(column: PayloadColumn | null): boolean {
  return typeof column === "number" && column !== IN_ROW;
}
