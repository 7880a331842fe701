import { OVERTAKEN } from "../../domain/attempt.ts";
import { lateAttempt } from "../../domain/late-result.ts";
import { permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText, lateText } from "../attempt-text.ts";
import type { Finish } from "../steps.ts";
import { holderOf, notQueued } from "./postgres-job-row.ts";
import type { Unit } from "./postgres-unit.ts";

/**
 * Ends an unfinished job by the result of an attempt of the worker that was given back; false: it does not
 * count. The row tells of that attempt then. A worker that runs the job now still holds it, and is to stop.
 */
export function postgresCompleteLate(
  step: Finish & { readonly worker: string },
  now: number,
  unit: Unit,
): boolean {
  if (step.mayBeLate !== true || step.event !== "complete" || step.attempt !== undefined) return false;
  const { endpoint, id, worker, retention } = step;
  const row = unit.find(endpoint, id);
  if (row === undefined || !permits("completeLate", row.state) || row.holder === worker) return false;
  const { position, attempt, chunks, expires_at: expiresAt, execution_timeout: executionTimeout } = row;
  const subject = { worker, position, attempt, chunks, expiresAt, executionTimeout };
  const late = lateAttempt(subject, unit.givenBack(row), now);
  if (late === undefined) return false;
  const holder = holderOf(row);
  const overtaken = endedText(row, now, { outcome: "CANCELLED", error: OVERTAKEN, exit: undefined });
  unit.keepAttempt(row, attempt, { ended: overtaken ?? null });
  unit.replaceAttempt(row, late.attempt, lateText(late.ended, now));
  const output = unit.keep(step.output);
  unit.drop(row.progress_ref);
  const ended = unit.change(row, {
    state: TRANSITIONS.completeLate.to,
    holder: holder ?? null,
    worker: late.ended.worker ?? null,
    queued_at: late.ended.queuedAt,
    taken_at: late.ended.startedAt,
    ended_at: now,
    due_at: now + Math.max(row.retention, retention),
    output: output.content,
    output_ref: output.ref,
    progress: null,
    progress_ref: null,
  });
  unit.count(endpoint, { completed: 1, ...(row.state === "IN_PROGRESS" ? { running: -1 } : notQueued(row)) });
  unit.signal("completeLate", endpoint, id, holder, { lasted: now - late.ended.startedAt });
  unit.deliver(ended);
  return true;
}
