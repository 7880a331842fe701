import { OVERTAKEN } from "../../domain/attempt.ts";
import { lateAttempt } from "../../domain/late-result.ts";
import { permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText, lateText } from "../attempt-text.ts";
import type { Finish } from "../steps.ts";
import { holderOf, notQueued } from "../job-columns.ts";
import type { JobTransaction } from "./job-transaction.ts";

/**
 * Ends an unfinished job by the result of an attempt of the worker that was given back. False if the result
 * does not count. If it does, the row describes that attempt. A worker that runs the job now still holds it,
 * and must stop.
 */
export function completeLate(
  step: Finish & { readonly worker: string },
  now: number,
  transaction: JobTransaction,
): boolean {
  if (step.mayBeLate !== true || step.event !== "complete" || step.attempt !== undefined) return false;
  const { endpoint, id, worker, retention } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined || !permits("completeLate", row.state) || row.holder === worker) return false;
  const { position, attempt, chunks, expires_at: expiresAt, execution_timeout: executionTimeout } = row;
  const subject = { worker, position, attempt, chunks, expiresAt, executionTimeout };
  const late = lateAttempt(subject, transaction.givenBack(row), now);
  if (late === undefined) return false;
  const holder = holderOf(row);
  const overtaken = endedText(row, now, { outcome: "CANCELLED", error: OVERTAKEN });
  transaction.keepAttempt(row, attempt, { ended: overtaken ?? null });
  transaction.replaceAttempt(row, late.attempt, lateText(late.ended, now));
  const ended = transaction.change(
    row,
    {
      state: TRANSITIONS.completeLate.to,
      holder: holder ?? null,
      worker: late.ended.worker ?? null,
      queued_at: late.ended.queuedAt,
      taken_at: late.ended.startedAt,
      ended_at: now,
      due_at: now + Math.max(row.retention, retention),
    },
    { output: step.output, progress: undefined },
  );
  transaction.count(endpoint, {
    completed: 1,
    ...(row.state === "IN_PROGRESS" ? { running: -1 } : notQueued(row)),
  });
  transaction.signal("completeLate", endpoint, id, holder, { lasted: now - late.ended.startedAt });
  transaction.deliver(ended);
  return true;
}
