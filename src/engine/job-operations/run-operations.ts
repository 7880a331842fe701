import { ForebayError, isTemporary } from "../../domain/errors.ts";
import { KEPT_ERRORS, KEPT_MADE, KEPT_OPERATIONS, OPERATION_RETENTION } from "../../domain/job-operation.ts";
import { IDEMPOTENCY_LIFETIME } from "../../domain/policy.ts";
import { findJobs } from "../find/find-jobs.ts";
import { putRecord, type RecordChanges } from "../records/put-record.ts";
import { type Acted, type Acting, actOnJob, type PolicyIn } from "./act-on-job.ts";
import { leftJob } from "./candidates.ts";
import { ended, type JobOperation, type LeftJob } from "./job-operation.ts";
import { isConflict } from "./known-operations.ts";

/** What running an operation needs of the server. */
export interface OperationRunning extends Acting, RecordChanges {}

/** So many jobs of the filter are stored with the operation before they are acted on. */
const BATCH = 200;

/** So many of them at the same time: each input can have 20 MB. */
const AT_ONCE = 4;

/** So many steps of one operation, each a page or a batch, before the others have their turn. */
const STEPS = 4;

/** Longer than this the keys that keep a job from being resubmitted twice are not known. An hour is left. */
const LONGEST = IDEMPOTENCY_LIFETIME - 3_600_000;

/**
 * Continues each operation that runs, and removes old ones. A background job calls it again and again. What
 * one operation throws does not keep the others from their turn: the first of these errors is thrown at the
 * end.
 */
export async function runJobOperations(engine: OperationRunning, policyIn: PolicyIn): Promise<void> {
  const faults: Error[] = [];
  for (const { id } of engine.configuration.all("jobOperation")) {
    try {
      await goOn(engine, policyIn, id);
    } catch (error) {
      const isNamed = error instanceof ForebayError;
      faults.push(isNamed ? error : new Error(`operation ${id} on jobs could not go on`, { cause: error }));
    }
  }
  await forgetOperations(engine);
  const [first] = faults;
  if (first !== undefined) throw first;
}

async function goOn(engine: OperationRunning, policyIn: PolicyIn, id: string): Promise<void> {
  for (let steps = 0; steps < STEPS; steps++) {
    const operation = engine.configuration.get("jobOperation", id);
    if (engine.isStopping || operation?.state !== "RUNNING") return;
    // The clock of another server is ahead, or the call came in this millisecond.
    if (engine.clock.now() < operation.createdAt) return;
    const next = await stepOrFail(engine, policyIn, operation);
    if (next === operation) return;
    await save(engine, operation, next);
  }
}

/** An error that would come again and again ends the operation. Throws the others. */
async function stepOrFail(
  engine: OperationRunning,
  policyIn: PolicyIn,
  operation: JobOperation,
): Promise<JobOperation> {
  try {
    return await step(engine, policyIn, operation);
  } catch (error) {
    if (error instanceof ForebayError || isTemporary(error)) throw error;
    const { id, action } = operation;
    engine.log.error("an action on many jobs failed", { operation: id, action, error: String(error) });
    const reason =
      "The server has met a fault; its log names the operation. " +
      "Start another one for the jobs that are left.";
    return { ...ended(operation, "FAILED", engine.clock.now()), reason };
  }
}

/** The operation a little further; the same one if it has to wait. */
async function step(
  engine: OperationRunning,
  policyIn: PolicyIn,
  operation: JobOperation,
): Promise<JobOperation> {
  const { action, left, next, filter, createdAt } = operation;
  const now = engine.clock.now();
  if (now >= createdAt + LONGEST) {
    const reason = "It had not ended after 23 hours. Start another one for the jobs that are left.";
    return { ...ended(operation, "FAILED", now), reason };
  }
  if (left.length > 0) return actOnBatch(engine, policyIn, operation);
  if (next === undefined || filter === undefined) return ended(operation, "COMPLETED", now);
  const page = await findJobs(engine, filter, next, BATCH);
  const found = page.jobs.map((job) => leftJob(action, job, job));
  const known = operation.done + operation.failed + operation.skipped + found.length;
  // Jobs that had ended, and came to the history after they were counted.
  const matches = page.next === undefined ? known : Math.max(operation.matches, known);
  return { ...operation, left: found, next: page.next, matches };
}

async function actOnBatch(
  engine: OperationRunning,
  policyIn: PolicyIn,
  operation: JobOperation,
): Promise<JobOperation> {
  let now = operation;
  for (let at = 0; at < BATCH; at += AT_ONCE) {
    // It was cancelled.
    if (engine.isStopping || engine.configuration.get("jobOperation", operation.id) !== operation) break;
    const jobs = now.left.slice(0, AT_ONCE);
    const came = await Promise.all(jobs.map((job) => actOnJob(engine, policyIn, operation, job)));
    const waiting = jobs.filter((_, index) => came[index]?.came === "later");
    if (waiting.length < jobs.length) now = counted(now, jobs, came, waiting);
    if (waiting.length > 0 || now.left.length === 0) break;
  }
  return now;
}

function counted(
  operation: JobOperation,
  jobs: readonly LeftJob[],
  came: readonly Acted[],
  waiting: readonly LeftJob[],
): JobOperation {
  const number = (word: Acted["came"]): number => came.filter((one) => one.came === word).length;
  const errors = jobs.flatMap(({ endpoint, id }, index) => {
    const one = came[index];
    return one?.came === "failed" ? [{ endpoint, id, code: one.code, message: one.message }] : [];
  });
  const made = jobs.flatMap(({ endpoint, id: from }, index) => {
    const one = came[index];
    return one?.came === "done" && operation.action === "resubmit" ? [{ endpoint, from, id: one.id }] : [];
  });
  return {
    ...operation,
    left: [...waiting, ...operation.left.slice(jobs.length)],
    done: operation.done + number("done"),
    failed: operation.failed + number("failed"),
    skipped: operation.skipped + number("skipped"),
    errors: [...operation.errors, ...errors].slice(0, KEPT_ERRORS),
    made: [...operation.made, ...made].slice(0, KEPT_MADE),
  };
}

/**
 * Stores how far it is. If it was cancelled meanwhile, it stays cancelled and what was done counts. If
 * another server has gone on with it, its state holds: what both did was done once.
 */
async function save(engine: RecordChanges, from: JobOperation, to: JobOperation): Promise<void> {
  for (;;) {
    const latest = engine.configuration.get("jobOperation", from.id);
    if (latest === undefined || (latest !== from && latest.state === "RUNNING")) return;
    const { state, endedAt = 0 } = latest;
    try {
      await putRecord(engine, "jobOperation", latest === from ? to : ended(to, state, endedAt));
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** Removes operations that ended long ago, and the oldest of an account that has many. */
async function forgetOperations(engine: RecordChanges): Promise<void> {
  const over = engine.configuration.all("jobOperation").filter(({ state }) => state !== "RUNNING");
  const before = engine.clock.now() - OPERATION_RETENTION;
  const old = [...Map.groupBy(over, ({ account }) => account).values()].flatMap((ofAccount) => {
    const newest = ofAccount.toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
    return newest.filter(({ endedAt = 0 }, index) => index >= KEPT_OPERATIONS || endedAt < before);
  });
  if (old.length === 0) return;
  for (const { id } of old) {
    await engine.store.apply([{ step: "remove", kind: "jobOperation", id }], engine.clock.now());
  }
  await engine.configuration.refresh();
}
