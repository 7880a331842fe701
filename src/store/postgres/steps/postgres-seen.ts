import type { Job } from "../../../domain/job.ts";
import { isTerminal } from "../../../domain/transitions.ts";
import type { Shown } from "../../steps.ts";
import { jobOf } from "../postgres-job-row.ts";
import { prove } from "../postgres-live-attempt.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresSeen: StepRunner<"seen"> = (step, now, unit) => {
  const { endpoint, worker, shown, deniableBefore } = step;
  unit.contact(endpoint, worker, now);
  const denied: Job[] = [];
  if (shown.kind === "nothing") return { denied };
  const shows = shownBy(shown);
  for (const row of unit.heldBy(endpoint, worker)) {
    if (shows(row.id)) {
      if (!isTerminal(row.state)) prove(unit, row);
    } else if (row.taken_at !== null && row.taken_at <= deniableBefore) {
      if (isTerminal(row.state)) unit.change(row, { holder: null });
      else denied.push(jobOf(unit.change(row, { denials: row.denials + 1 })));
    }
  }
  return { denied };
};

function shownBy(shown: Shown): (id: string) => boolean {
  if (shown.kind !== "these") return () => shown.kind === "all";
  const ids = new Set(shown.ids);
  return (id) => ids.has(id);
}
