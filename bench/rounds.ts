import { endAllSince, runningNow } from "./at-exit.ts";
import type { Case, Figures, Round, Row, Workload } from "./workload.ts";

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

/** A measurement that takes longer than so many ms has failed. */
const LIMIT = 15 * 60_000;

/**
 * Measures each case once in each round, one after the other, so that a machine whose speed drifts favours
 * none. Of several settings of one peer, only the best of the first round goes on. A case that fails, or
 * takes longer than `limit` ms, is left out of the later rounds.
 */
export async function runRounds(
  workload: Workload,
  cases: readonly Case[],
  rounds: number,
  tell: (line: string) => void,
  limit = LIMIT,
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
      for (const one of goingOn(cases, measured[0])) {
        if (missing.has(one.name)) continue;
        const before = runningNow();
        try {
          for (const { name, figures } of await within(limit, one.measure())) {
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
      measured.push(round);
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

/** All cases in the first round; after it, of each peer only the setting with the highest rate. */
function goingOn(cases: readonly Case[], first: Round | undefined): readonly Case[] {
  if (first === undefined) return cases;
  const rate = ({ name }: Case): number => first.get(name)?.["rate"] ?? 0;
  return cases.filter(
    (one) =>
      one.settingOf === undefined ||
      !cases.some((other) => other.settingOf === one.settingOf && rate(other) > rate(one)),
  );
}

/** Fails after `limit` ms. What the measurement still reports then is of no interest. */
async function within(limit: number, measurement: Promise<readonly Row[]>): Promise<readonly Row[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`it took longer than ${limit / 1_000} s`)), limit);
  try {
    return await Promise.race([measurement, late]);
  } finally {
    clearTimeout(timer);
    measurement.catch(() => undefined);
  }
}

function textOf({ columns }: Workload, figures: Figures): string {
  return columns
    .flatMap(({ key, title, digits }) => {
      const value = figures[key];
      return value === undefined ? [] : `${title} ${value.toFixed(digits)}`;
    })
    .join(", ");
}
