import { permits, TRANSITIONS } from "../../../domain/transitions.ts";
import { elapsed } from "../../elapsed.ts";
import { holderOf, jobOf, notQueued } from "../postgres-job-row.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresCancel: StepRunner<"cancel"> = ({ endpoint, id, retention }, now, unit) => {
  const row = unit.find(endpoint, id);
  if (row === undefined) return undefined;
  if (!permits("cancel", row.state)) return jobOf(row);
  const holder = holderOf(row);
  unit.drop(row.progress_ref);
  const ended = unit.change(row, {
    state: TRANSITIONS.cancel.to,
    // The worker still runs the job until it is known to have stopped.
    holder: holder ?? null,
    ended_at: now,
    due_at: now + Math.max(row.retention, retention),
    progress: null,
    progress_ref: null,
  });
  if (row.state === "IN_PROGRESS") unit.count(endpoint, { running: -1 });
  else unit.count(endpoint, notQueued(row));
  unit.signal("cancel", endpoint, id, holder, { lasted: elapsed(row.taken_at, now) });
  unit.deliver(ended);
  return jobOf(ended);
};
