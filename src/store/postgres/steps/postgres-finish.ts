import {
  type EndEvent,
  isTerminal,
  leavesRunning,
  permits,
  TRANSITIONS,
} from "../../../domain/transitions.ts";
import { elapsed } from "../../elapsed.ts";
import { endedText } from "../../attempt-text.ts";
import type { Counts } from "../../store.ts";
import { holderOf, type JobRow, notQueued } from "../postgres-job-row.ts";
import { postgresCompleteLate } from "../postgres-complete-late.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresFinish: StepRunner<"finish"> = (step, now, unit) => {
  const { endpoint, id } = step;
  const row = unit.find(endpoint, id);
  if (row === undefined || !permits(step.event, row.state) || !isFrom(row, step.worker, step.attempt)) {
    if (step.worker === undefined) return { accepted: false };
    if (postgresCompleteLate({ ...step, worker: step.worker }, now, unit)) return { accepted: true };
    unit.count(endpoint, { ignored: 1 });
    // The report of an earlier attempt does not say that this one has stopped.
    const isStopped =
      !leavesRunning(step.event) && row !== undefined && isFrom(row, step.worker, step.attempt);
    if (isStopped && isTerminal(row.state)) unit.change(row, { holder: null });
    return { accepted: false };
  }
  const holder = holderOf(row);
  if (step.end !== undefined) {
    unit.keepAttempt(row, row.attempt, { ended: endedText(row, now, step.end) ?? null });
  }
  if (step.beside !== undefined) unit.keepAttempt(row, row.attempt, { output: step.beside });
  const output = unit.keep(step.output);
  const error = unit.keep(step.error);
  unit.drop(row.progress_ref);
  const ended = unit.change(row, {
    state: TRANSITIONS[step.event].to,
    holder: leavesRunning(step.event) ? (holder ?? null) : null,
    ended_at: now,
    due_at: now + Math.max(row.retention, step.retention),
    output: output.content,
    output_ref: output.ref,
    error: error.content,
    error_ref: error.ref,
    progress: null,
    progress_ref: null,
  });
  unit.count(endpoint, countsOf(step.event, row));
  unit.signal(step.event, endpoint, id, holder, { lasted: elapsed(row.taken_at, now) });
  unit.deliver(ended);
  return { accepted: true };
};

/** The fence: a worker ends only the attempt that it holds. */
function isFrom(row: JobRow, worker: string | undefined, attempt: number | undefined): boolean {
  return (
    (worker === undefined || row.holder === worker) && (attempt === undefined || row.attempt === attempt)
  );
}

function countsOf(event: EndEvent, row: JobRow): Partial<Counts> {
  const ended = event === "complete" ? { completed: 1 } : { failed: 1 };
  if (row.state === "IN_PROGRESS") return { ...ended, running: -1 };
  return { ...ended, ...notQueued(row) };
}
