import { dueAt } from "../../domain/job-times.ts";
import { type EndEvent, isTerminal, leavesRunning, permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText } from "../attempt-text.ts";
import { holderOf, type JobColumns, jobOf, notQueued } from "../job-columns.ts";
import type { Counts } from "../store.ts";
import { completeLate } from "./complete-late.ts";
import type { JobStepRunner } from "./job-transaction.ts";

// What ends a job: a result or a deadline, a cancel, and a ttl that moves the deadline.

export const finish: JobStepRunner<"finish"> = (step, now, transaction) => {
  const { endpoint, id } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined || !permits(step.event, row.state) || !isFrom(row, step.worker, step.attempt)) {
    if (step.worker === undefined) return { accepted: false };
    if (completeLate({ ...step, worker: step.worker }, now, transaction)) return { accepted: true };
    transaction.count(endpoint, { ignored: 1 });
    // The report of an earlier attempt does not say that this one has stopped.
    const isStopped =
      !leavesRunning(step.event) && row !== undefined && isFrom(row, step.worker, step.attempt);
    if (isStopped && isTerminal(row.state)) transaction.change(row, { holder: null });
    return { accepted: false };
  }
  if (step.onlyDue === true && row.due_at > now) return { accepted: false };
  const holder = holderOf(row);
  if (step.end !== undefined) {
    transaction.keepAttempt(row, row.attempt, { ended: endedText(row, now, step.end) ?? null });
  }
  if (step.beside !== undefined) transaction.keepAttempt(row, row.attempt, { output: step.beside });
  const ended = transaction.change(
    row,
    {
      state: TRANSITIONS[step.event].to,
      holder: leavesRunning(step.event) ? (holder ?? null) : null,
      ended_at: now,
      due_at: now + Math.max(row.retention, step.retention),
    },
    { output: step.output, error: step.error, progress: undefined },
  );
  transaction.count(endpoint, countsOf(step.event, row));
  transaction.signal(step.event, endpoint, id, holder, { lasted: elapsed(row.taken_at, now) });
  transaction.deliver(ended);
  return { accepted: true };
};

export const cancel: JobStepRunner<"cancel"> = ({ endpoint, id, retention }, now, transaction) => {
  const row = transaction.find(endpoint, id);
  if (row === undefined) return undefined;
  if (!permits("cancel", row.state)) return jobOf(row);
  const holder = holderOf(row);
  const ended = transaction.change(
    row,
    {
      state: TRANSITIONS.cancel.to,
      // The worker still runs the job until it is known to have stopped.
      holder: holder ?? null,
      ended_at: now,
      due_at: now + Math.max(row.retention, retention),
    },
    { progress: undefined },
  );
  if (row.state === "IN_PROGRESS") transaction.count(endpoint, { running: -1 });
  else transaction.count(endpoint, notQueued(row));
  transaction.signal("cancel", endpoint, id, holder, { lasted: elapsed(row.taken_at, now) });
  transaction.deliver(ended);
  return jobOf(ended);
};

export const setTtl: JobStepRunner<"setTtl"> = ({ endpoint, id, at }, now, transaction) => {
  const row = transaction.find(endpoint, id);
  if (row === undefined || endOf(row) <= now) return { accepted: false };
  if (isTerminal(row.state)) transaction.change(row, { due_at: Math.min(row.due_at, at) });
  else transaction.change(row, { expires_at: at, due_at: dueWithTtl(row, at) });
  return { accepted: true };
};

/** The fence: a worker ends only the attempt that it holds. */
function isFrom(row: JobColumns, worker: string | undefined, attempt: number | undefined): boolean {
  return (
    (worker === undefined || row.holder === worker) && (attempt === undefined || row.attempt === attempt)
  );
}

function countsOf(event: EndEvent, row: JobColumns): Partial<Counts> {
  const ended = event === "complete" ? { completed: 1 } : { failed: 1 };
  if (row.state === "IN_PROGRESS") return { ...ended, running: -1 };
  return { ...ended, ...notQueued(row) };
}

/** How long the job has run, ms; undefined if it never started. */
function elapsed(takenAt: number | null, now: number): number | undefined {
  return takenAt === null ? undefined : now - takenAt;
}

/** When a finished job is removed, or an unfinished one times out. Nothing revives it after that. */
function endOf(row: JobColumns): number {
  return isTerminal(row.state) ? row.due_at : row.expires_at;
}

function dueWithTtl(row: JobColumns, expiresAt: number): number {
  if (row.taken_at === null) return expiresAt;
  const deadlines = { executionTimeout: row.execution_timeout, expiresAt };
  if (row.proved) return dueAt.proved(row.taken_at, deadlines);
  const lease = row.lease_ends_at === null ? undefined : row.lease_ends_at - row.taken_at;
  return dueAt.taken(row.taken_at, deadlines, lease);
}
