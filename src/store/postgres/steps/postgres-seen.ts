import type { Job } from "../../../domain/job.ts";
import { isTerminal } from "../../../domain/transitions.ts";
import { NO_STRAY, shownBy, strayOf } from "../../shown-jobs.ts";
import { jobOf } from "../postgres-job-row.ts";
import { prove } from "../postgres-live-attempt.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresSeen: StepRunner<"seen"> = (step, now, unit) => {
  const { endpoint, worker, shown, call, pings } = step;
  const held = shown.kind === "nothing" ? [] : unit.heldBy(endpoint, worker);
  const hungUp = call === "ping" ? null : call === "hangUp";
  const stray = call === "ping" ? (strayOf(shown, held) ?? NO_STRAY) : null;
  unit.contact({ endpoint, worker, at: now, pings, hungUp, stray });
  const denied: Job[] = [];
  const verdict = shownBy(step, held);
  for (const row of held) {
    const says = verdict(row);
    if (says === "proved" && !isTerminal(row.state)) prove(unit, row, pings ? now : undefined);
    if (says !== "denied") continue;
    if (isTerminal(row.state)) unit.change(row, { holder: null });
    else denied.push(jobOf(unit.change(row, { denials: row.denials + 1 })));
  }
  return { denied };
};
