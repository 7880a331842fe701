import { permits, TRANSITIONS } from "../../../domain/transitions.ts";
import { endedText } from "../../attempt-text.ts";
import { clearResult } from "../postgres-clear-result.ts";
import { holderOf, queued } from "../postgres-job-row.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresGiveBack: StepRunner<"giveBack"> = (step, now, unit) => {
  const { endpoint, id, losses, undelivered, barUntil } = step;
  const row = unit.find(endpoint, id);
  if (row === undefined || !permits("giveBack", row.state) || row.attempt !== step.attempt)
    return { accepted: false };
  unit.keepAttempt(row, row.attempt, { ended: endedText(row, now, step.end) ?? null });
  clearResult(unit, row);
  unit.change(row, {
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
  unit.count(endpoint, {
    running: -1,
    ...queued(row),
    retried: losses > row.losses ? 1 : 0,
  });
  unit.signal("giveBack", endpoint, id, holderOf(row), { isLoss: losses > row.losses });
  return { accepted: true };
};
