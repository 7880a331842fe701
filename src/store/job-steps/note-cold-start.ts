import { coldStartText } from "../attempt-text.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const noteColdStart: JobStepRunner<"noteColdStart"> = (step, _now, transaction) => {
  const { endpoint, id, attempt, coldStart } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined || row.attempt < attempt) return { accepted: false };
  transaction.keepAttempt(row, attempt, { cold_start: coldStartText(coldStart) });
  return { accepted: true };
};
