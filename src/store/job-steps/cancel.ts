import { permits, TRANSITIONS } from "../../domain/transitions.ts";
import { elapsed } from "../elapsed.ts";
import { holderOf, jobOf, notQueued } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

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
