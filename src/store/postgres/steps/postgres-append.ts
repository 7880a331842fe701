import { liveAttempt, prove } from "../postgres-live-attempt.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresAppend: StepRunner<"append"> = (step, _now, unit) => {
  const row = liveAttempt(unit, step);
  if (row === undefined) {
    unit.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  prove(unit, row);
  unit.append(unit.find(step.endpoint, step.id) ?? row, step.chunks);
  unit.signal("append", step.endpoint, step.id, step.worker);
  return { accepted: true };
};
