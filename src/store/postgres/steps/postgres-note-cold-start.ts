import { coldStartText } from "../../attempt-text.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresNoteColdStart: StepRunner<"noteColdStart"> = (step, _now, unit) => {
  const { endpoint, id, attempt, coldStart } = step;
  const row = unit.find(endpoint, id);
  if (row === undefined || row.attempt < attempt) return { accepted: false };
  unit.keepAttempt(row, attempt, { cold_start: coldStartText(coldStart) });
  return { accepted: true };
};
