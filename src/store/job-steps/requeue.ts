import { outcomeIn } from "../../domain/attempt.ts";
import { overCap } from "../../domain/queue-cap.ts";
import { isTerminal, permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText } from "../attempt-text.ts";
import { holderOf, type JobColumns, jobOf, queued } from "../job-columns.ts";
import type { JobStepRunner, JobTransaction } from "./job-transaction.ts";

// What puts a job back into the queue: an attempt that is over without a result, and a retry.

export const giveBack: JobStepRunner<"giveBack"> = (step, now, transaction) => {
  const { endpoint, id, losses, undelivered, barUntil } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined || !permits("giveBack", row.state) || row.attempt !== step.attempt)
    return { accepted: false };
  transaction.keepAttempt(row, row.attempt, { ended: endedText(row, now, step.end) ?? null });
  clearResult(transaction, row);
  transaction.change(row, {
    state: TRANSITIONS.giveBack.to,
    holder: "",
    worker: null,
    taken_at: null,
    due_at: row.expires_at,
    losses,
    undelivered,
    queued_at: now,
    proved: false,
    denials: 0,
    barred: row.holder,
    barred_until: barUntil,
  });
  transaction.count(endpoint, {
    running: -1,
    ...queued(row),
    retried: losses > row.losses ? 1 : 0,
  });
  transaction.signal("giveBack", endpoint, id, holderOf(row), { isLoss: losses > row.losses });
  return { accepted: true };
};

export const retry: JobStepRunner<"retry"> = (step, now, transaction) => {
  const { endpoint, id, reporter, barUntil, cap, error } = step;
  const row = transaction.hasEndpoint(endpoint) ? transaction.find(endpoint, id) : undefined;
  if (row === undefined || (isTerminal(row.state) && row.due_at <= now))
    return { job: undefined, accepted: false };
  if (!permits("retry", row.state)) return { job: jobOf(row), accepted: false };
  const over = step.over ?? overCap(cap, transaction.fill(endpoint), row.bytes);
  if (over !== undefined) return { job: jobOf(row), accepted: false, over };
  const end = {
    outcome: outcomeIn(row.state),
    error: error?.attempt === row.attempt ? error.text : undefined,
  };
  const ended = endedText(row, row.ended_at ?? now, end) ?? null;
  transaction.keepAttempt(row, row.attempt, { ended });
  clearResult(transaction, row);
  const expiresAt = now + row.ttl;
  const again = transaction.change(row, {
    state: TRANSITIONS.retry.to,
    holder: "",
    worker: null,
    position: Math.max(step.position, row.position + 1),
    queued_at: now,
    taken_at: null,
    ended_at: null,
    expires_at: expiresAt,
    due_at: expiresAt,
    losses: 0,
    undelivered: 0,
    proved: false,
    denials: 0,
    barred: row.holder ?? reporter ?? null,
    barred_until: barUntil,
  });
  transaction.removePast(row);
  transaction.count(endpoint, { ...queued(row), retried: 1 });
  transaction.signal("retry", endpoint, id, undefined);
  return { job: jobOf(again), accepted: true };
};

/** Removes output, error, progress and chunks of the attempts so far. */
function clearResult(transaction: JobTransaction, row: JobColumns): void {
  transaction.clearChunks(row);
  transaction.change(
    row,
    { chunks: 0, chunk_bytes: 0, cursor: 0 },
    { output: undefined, error: undefined, progress: undefined },
  );
}
