import { liveAttempt, prove } from "../postgres-live-attempt.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresProgress: StepRunner<"progress"> = (step, _now, unit) => {
  const row = liveAttempt(unit, step);
  if (row === undefined) {
    unit.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  prove(unit, row);
  const { content, ref } = unit.keep(step.value);
  unit.drop(row.progress_ref);
  unit.change(row, { progress: content, progress_ref: ref });
  return { accepted: true };
};
