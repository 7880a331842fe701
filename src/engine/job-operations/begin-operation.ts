import { ForebayError } from "../../domain/errors.ts";
import type { FoundJob, JobFilter } from "../../domain/found-job.ts";
import {
  type ActionCount,
  type JobAction,
  type JobName,
  OPERATION_JOBS,
  RUNNING_OPERATIONS,
  type SkipReason,
} from "../../domain/job-operation.ts";
import { newRecordId } from "../digest.ts";
import { FIRST_PLACE, type FindPlace, findJobs } from "../find/find-jobs.ts";
import { inSlices } from "../find/unfinished-jobs.ts";
import { putRecord, type RecordChanges } from "../records/put-record.ts";
import { type Candidate, candidateOf, leftJob, skipReason } from "./candidates.ts";
import type { JobOperation, JobSelection, LeftJob } from "./job-operation.ts";

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
 * Stores an operation, which the leader then runs: on jobs that were there before the call. Throws
 * TOO_MANY_JOBS, and TOO_MANY_OPERATIONS while the account runs as many as it may.
 */
export async function beginOperation(
  engine: RecordChanges,
  account: string,
  action: JobAction,
  { endpoints, filter, jobs = [] }: JobSelection,
): Promise<JobOperation> {
  await engine.configuration.refresh();
  refuseTooMany(engine, account);
  // It begins a moment later: what came before the call is earlier than that, and what it makes is not.
  const createdAt = engine.clock.now() + 1;
  const fixed = filter && { ...filter, to: Math.min(filter.to ?? createdAt, createdAt) };
  const matches = fixed === undefined ? jobs.length : await countMatches(engine, fixed);
  const left = await leftOf(engine, action, jobs);
  return putInPlace(engine, {
    id: newRecordId(),
    account,
    action,
    state: "RUNNING",
    endpoints,
    filter: fixed,
    next: fixed && FIRST_PLACE,
    left,
    matches,
    done: 0,
    failed: 0,
    skipped: 0,
    errors: [],
    made: [],
    createdAt,
  });
}

/** Before the jobs are counted; the store has the last word. */
function refuseTooMany({ configuration }: RecordChanges, account: string): void {
  const running = configuration
    .all("jobOperation")
    .filter((operation) => operation.account === account && operation.state === "RUNNING");
  if (running.length >= RUNNING_OPERATIONS) throw tooMany(account);
}

function tooMany(account: string): ForebayError {
  return new ForebayError(
    "TOO_MANY_OPERATIONS",
    `Account ${account} runs ${RUNNING_OPERATIONS} operations on jobs, the maximum. Wait until one has ` +
      "ended, or stop one: forebay jobs operations shows them.",
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

/** The jobs that were named, as they are now. */
async function leftOf(
  { store }: RecordChanges,
  action: JobAction,
  jobs: readonly JobName[],
): Promise<LeftJob[]> {
  const left: LeftJob[] = [];
  const slices = inSlices(jobs, async (job) => leftJob(action, job, await store.job(job.endpoint, job.id)));
  for await (const slice of slices) left.push(...slice);
  return left;
}

/**
 * Stores a new operation in a place that no other one of the account has: names of records are unique, so at
 * any number of calls and servers no more run than there are places. Throws TOO_MANY_OPERATIONS.
 */
async function putInPlace(engine: RecordChanges, operation: JobOperation): Promise<JobOperation> {
  for (let place = 1; place <= RUNNING_OPERATIONS; place++) {
    const placed = { ...operation, name: `running ${place}` };
    try {
      await putRecord(engine, "jobOperation", placed);
      return placed;
    } catch (error) {
      if (!(error instanceof ForebayError && error.code === "NAME_TAKEN")) throw error;
    }
  }
  throw tooMany(operation.account);
}
