import { permits, TRANSITIONS } from "../../domain/transitions.ts";
import { endedText } from "../attempt-text.ts";
import { clearResult } from "./clear-result.ts";
import { holderOf, queued } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

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
