import { liveAttempt, prove } from "./live-attempt.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const progress: JobStepRunner<"progress"> = (step, _now, transaction) => {
  const row = liveAttempt(transaction, step);
  if (row === undefined) {
    transaction.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  prove(transaction, row);
  transaction.change(row, {}, { progress: step.value });
  return { accepted: true };
};
