import type { Job } from "../../domain/job.ts";
import { isTerminal } from "../../domain/transitions.ts";
import { NO_STRAY, shownBy, strayOf } from "../shown-jobs.ts";
import { jobOf } from "../job-columns.ts";
import { prove } from "./live-attempt.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const seen: JobStepRunner<"seen"> = (step, now, transaction) => {
  const { endpoint, worker, shown, call, pings } = step;
  const held = shown.kind === "nothing" ? [] : transaction.heldBy(endpoint, worker);
  const hungUp = call === "ping" ? null : call === "hangUp";
  const stray = call === "ping" ? (strayOf(shown, held) ?? NO_STRAY) : null;
  transaction.contact({ endpoint, worker, at: now, pings, hungUp, stray });
  const denied: Job[] = [];
  const verdict = shownBy(step, held);
  for (const row of held) {
    const says = verdict(row);
    if (says === "proved" && !isTerminal(row.state)) prove(transaction, row, pings ? now : undefined);
    if (says !== "denied") continue;
    if (isTerminal(row.state)) transaction.change(row, { holder: null });
    else denied.push(jobOf(transaction.change(row, { denials: row.denials + 1 })));
  }
  return { denied };
};
