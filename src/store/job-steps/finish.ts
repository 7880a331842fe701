import { type EndEvent, isTerminal, leavesRunning, permits, TRANSITIONS } from "../../domain/transitions.ts";
import { elapsed } from "../elapsed.ts";
import { endedText } from "../attempt-text.ts";
import type { Counts } from "../store.ts";
import { holderOf, type JobColumns, notQueued } from "../job-columns.ts";
import { completeLate } from "./complete-late.ts";
import type { JobStepRunner } from "./job-transaction.ts";

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
