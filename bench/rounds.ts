import { endAllSince, runningNow } from "./at-exit.ts";
import type { Case, Figures, Round, Workload } from "./workload.ts";

interface Missing {
  readonly name: string;
  readonly reason: string;
  readonly hasFailed: boolean;
}

/** What a workload measured. */
export interface Outcome {
  readonly workload: Workload;
  readonly rounds: readonly Round[];
  /** Cases that are missing or failed, with the reason. */
  readonly missing: readonly Missing[];
  readonly minutes: number;
}

/**
 * Measures each case once in each round, one after the other, so that a machine whose speed drifts favours
 * none. A case that fails is left out of the later rounds.
 */
export async function runRounds(
  workload: Workload,
  cases: readonly Case[],
  rounds: number,
  tell: (line: string) => void,
): Promise<Outcome> {
  const startedAt = performance.now();
  const missing = new Map<string, Missing>();
  const measured: Round[] = [];
  for (const one of cases) {
    const reason = one.missing?.();
    if (reason === undefined) continue;
    missing.set(one.name, { name: one.name, reason, hasFailed: false });
    tell(`${workload.id}: ${one.name} is missing: ${reason}`);
  }
  try {
    for (let number = 1; number <= rounds; number++) {
      const round = new Map<string, Figures>();
      measured.push(round);
      for (const one of cases) {
        if (missing.has(one.name)) continue;
        const before = runningNow();
        try {
          for (const { name, figures } of await one.measure()) {
            round.set(name, figures);
            tell(`${workload.id}, round ${number}: ${name}: ${textOf(workload, figures)}`);
          }
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          missing.set(one.name, { name: one.name, reason, hasFailed: true });
          endAllSince(before);
          tell(`${workload.id}, round ${number}: ${one.name} failed: ${reason}`);
        }
      }
    }
  } finally {
    await workload.end?.();
  }
  const minutes = (performance.now() - startedAt) / 60_000;
  return {
    workload,
    rounds: measured,
    missing: [...missing.values()],
    minutes,
  };
}

function textOf({ columns }: Workload, figures: Figures): string {
  return columns
    .flatMap(({ key, title, digits }) => {
      const value = figures[key];
      return value === undefined ? [] : `${title} ${value.toFixed(digits)}`;
    })
    .join(", ");
}
