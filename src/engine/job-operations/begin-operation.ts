import { ForebayError } from "../../domain/errors.ts";
import type { FoundJob, JobFilter } from "../../domain/found-job.ts";
import {
  type ActionCount,
  type JobAction,
  OPERATION_JOBS,
  RUNNING_OPERATIONS,
  type SkipReason,
} from "../../domain/job-operation.ts";
import { newRecordId } from "../digest.ts";
import { FIRST_PLACE, type FindPlace, findJobs } from "../find/find-jobs.ts";
import { inSlices } from "../find/unfinished-jobs.ts";
import { putRecord, type RecordChanges } from "../records/put-record.ts";
import { type Candidate, candidateOf, skipReason } from "./candidates.ts";
import type { JobOperation, JobSelection } from "./job-operation.ts";

/** So many jobs are looked at to say for how many an action can do something. */
const COUNTED = 10_000;

/** How many jobs are selected, and for how many the action can do something. Changes nothing. */
export async function countJobs(
  engine: RecordChanges,
  action: JobAction,
  selection: JobSelection,
): Promise<ActionCount> {
  const skipped: Partial<Record<SkipReason, number>> = {};
  let matches = 0;
  let eligible = 0;
  for await (const page of candidates(engine, selection)) {
    const counted = page.slice(0, COUNTED - matches);
    for await (const reasons of inSlices(counted, (job) => skipReason(engine, action, job))) {
      for (const reason of reasons) {
        if (reason === undefined) eligible++;
        else skipped[reason] = (skipped[reason] ?? 0) + 1;
      }
    }
    matches += counted.length;
    if (counted.length < page.length) return { matches, eligible, skipped, isWhole: false };
  }
  return { matches, eligible, skipped, isWhole: true };
}

async function* candidates(
  engine: RecordChanges,
  { filter, jobs = [] }: JobSelection,
): AsyncGenerator<readonly Candidate[]> {
  if (filter === undefined) yield* inSlices(jobs, (job) => candidateOf(engine, job));
  else yield* pagesOf(engine, filter);
}

/** How many jobs are looked up at once. */
const PAGE = 1_000;

/** The jobs of a filter, page by page, the newest first. */
async function* pagesOf(engine: RecordChanges, filter: JobFilter): AsyncGenerator<readonly FoundJob[]> {
  let next: FindPlace | undefined = FIRST_PLACE;
  while (next !== undefined) {
    const page: Awaited<ReturnType<typeof findJobs>> = await findJobs(engine, filter, next, PAGE);
    yield page.jobs;
    next = page.next;
  }
}

/**
 * Stores an operation, which the leader then runs. Throws TOO_MANY_JOBS, and TOO_MANY_OPERATIONS while the
 * account runs as many as it may.
 */
export async function beginOperation(
  engine: RecordChanges,
  account: string,
  action: JobAction,
  { endpoints, filter, jobs = [] }: JobSelection,
): Promise<JobOperation> {
  await engine.configuration.refresh();
  refuseTooMany(engine, account);
  const createdAt = engine.clock.now();
  // Nothing that the operation makes or ends is among its jobs.
  const fixed = filter && { ...filter, to: Math.min(filter.to ?? createdAt, createdAt) };
  const matches = fixed === undefined ? jobs.length : await countMatches(engine, fixed);
  refuseTooMany(engine, account);
  const operation: JobOperation = {
    id: newRecordId(),
    account,
    action,
    state: "RUNNING",
    endpoints,
    filter: fixed,
    next: fixed && FIRST_PLACE,
    left: jobs,
    matches,
    done: 0,
    failed: 0,
    skipped: 0,
    errors: [],
    made: [],
    createdAt,
  };
  await putRecord(engine, "jobOperation", operation);
  return operation;
}

function refuseTooMany({ configuration }: RecordChanges, account: string): void {
  const running = configuration
    .all("jobOperation")
    .filter((operation) => operation.account === account && operation.state === "RUNNING");
  if (running.length < RUNNING_OPERATIONS) return;
  throw new ForebayError(
    "TOO_MANY_OPERATIONS",
    `Account ${account} runs ${running.length} operations on jobs, the maximum. Wait until one has ended, ` +
      "or stop one: forebay jobs operations shows them.",
    RETRY_AFTER,
  );
}

/** Seconds: a guess, because it depends on the jobs. */
const RETRY_AFTER = 5;

async function countMatches(engine: RecordChanges, filter: JobFilter): Promise<number> {
  let matches = 0;
  for await (const page of pagesOf(engine, filter)) {
    matches += page.length;
    if (matches > OPERATION_JOBS) {
      const sentence = `More than ${OPERATION_JOBS} jobs match. Narrow the filter, such as with from and to.`;
      throw new ForebayError("TOO_MANY_JOBS", sentence);
    }
  }
  return matches;
}
