import type { Call } from "./history.ts";
import { isObject } from "./is-object.ts";

/** Remembers each attempt that was handed out, and each that was ended by a worker. */
export interface AttemptsSeen {
  /** Attempts of these calls that were handed out, or ended, before. */
  duplicates(calls: readonly Call[]): string[];
}

export function attemptsSeen(): AttemptsSeen {
  const seen = new Set<string>();

  function duplicate(what: string): string[] {
    if (seen.has(what)) return [`${what} twice`];
    seen.add(what);
    return [];
  }

  return {
    duplicates: (calls) =>
      calls.flatMap(({ steps, outcome }) => {
        if (outcome.kind !== "ok") return [];
        return steps.flatMap((step, index) => {
          const answer = outcome.answers[index];
          if (step.step === "take" && Array.isArray(answer)) {
            return answer.flatMap((job: unknown) =>
              isObject(job)
                ? duplicate(`attempt ${String(job["attempt"])} of ${String(job["id"])} handed out`)
                : [],
            );
          }
          const isResult = step.step === "finish" && step.worker !== undefined;
          if (!isResult || !isObject(answer) || answer["accepted"] !== true) return [];
          return duplicate(`attempt ${step.attempt} of ${step.id} ended`);
        });
      }),
  };
}
