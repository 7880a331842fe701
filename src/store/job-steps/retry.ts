import { outcomeIn } from "../../domain/attempt.ts";
import { overCap } from "../../domain/queue-cap.ts";
import { isTerminal, permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText } from "../attempt-text.ts";
import { clearResult } from "./clear-result.ts";
import { jobOf, queued } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

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
  transaction.count(endpoint, { ...queued(row), retried: 1 });
  transaction.signal("retry", endpoint, id, undefined);
  return { job: jobOf(again), accepted: true };
};
