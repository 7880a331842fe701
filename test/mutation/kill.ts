import type { Mutant } from "./mutant.ts";
import type { Reach } from "./reach.ts";
import { runTrial } from "./trial.ts";

export type Verdict =
  | { readonly is: "killed"; readonly by: string }
  /** Of the tests that come to it so many have not run: the budget was used up. */
  | { readonly is: "survived"; readonly untried: number }
  | { readonly is: "not reached" };

/** As many names as a pattern may have; with more, the whole file runs. */
const MOST_NAMES = 400;

/**
 * Tries the mutants on the tests that come to them: first those that are quick, have killed others, or are
 * named after what is mutated.
 */
export class Killer {
  readonly #directory: string;
  readonly #reaches: readonly Reach[];
  /** What the tests of one mutant may take, counted as without it. */
  readonly #budgetSeconds: number;
  readonly #env: Readonly<Record<string, string>>;
  /** `<file of the mutant> <test file>`: how many mutants of the one were killed by the other. */
  readonly #kills = new Map<string, number>();

  constructor(
    directory: string,
    reaches: readonly Reach[],
    env: Readonly<Record<string, string>>,
    budgetSeconds: number,
  ) {
    this.#budgetSeconds = budgetSeconds;
    this.#directory = directory;
    this.#reaches = reaches;
    this.#env = env;
  }

  async judge(mutant: Mutant): Promise<Verdict> {
    const reaching = this.#reaches.filter(({ tests }) => tests.has(mutant.id));
    if (reaching.length === 0) return { is: "not reached" };
    let left = this.#budgetSeconds;
    for (const [tried, reach] of this.#inOrder(mutant, reaching).entries()) {
      left -= secondsOf(mutant.id, reach);
      if (left < 0 && tried > 0) return { is: "survived", untried: reaching.length - tried };
      if (await this.#isKilled(mutant, reach)) {
        const key = `${mutant.file} ${reach.test.file}`;
        this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
        return { is: "killed", by: reach.test.file };
      }
    }
    return { is: "survived", untried: 0 };
  }

  #inOrder({ id, file }: Mutant, reaching: readonly Reach[]): Reach[] {
    const cost = (reach: Reach): number =>
      secondsOf(id, reach) /
      (1 + 3 * (this.#kills.get(`${file} ${reach.test.file}`) ?? 0)) /
      (1 + 4 * commonWords(file, reach.test.file));
    return reaching.toSorted((a, b) => cost(a) - cost(b));
  }

  async #isKilled({ id }: Mutant, { test, tests, names, seconds }: Reach): Promise<boolean> {
    const chosen = tests.get(id) ?? [];
    const isAll = chosen.includes(0) || chosen.length > MOST_NAMES;
    const pattern = isAll ? undefined : patternOf(chosen.map((index) => names[index] ?? ""));
    const { isPassed } = await runTrial({
      directory: this.#directory,
      test,
      ...(pattern === undefined ? {} : { pattern }),
      args: ["--bail"],
      env: { ...this.#env, MUTANT: String(id) },
      // Generous: a busy machine must not count as a kill.
      limitSeconds: 60 + 8 * seconds,
    });
    return !isPassed;
  }
}

/** Of the names of two files: `records/keys.ts` and `http/keys.test.ts` have one. */
function commonWords(one: string, other: string): number {
  const words = wordsOf(other);
  return [...wordsOf(one)].filter((word) => words.has(word)).length;
}

function wordsOf(file: string): Set<string> {
  const [, ...words] = file.replace(/(\.test)?\.ts$/, "").split(/[/-]/);
  return new Set(words.map((word) => word.replace(/s$/, "")));
}

/** Starting takes some, too. */
const START_SECONDS = 0.3;

function secondsOf(id: number, { tests, names, seconds }: Reach): number {
  const chosen = tests.get(id) ?? [];
  const share = chosen.includes(0) ? 1 : chosen.length / (names.length - 1);
  return START_SECONDS + seconds * share;
}

/** The runner shows `group > test`, and compares with `group test`. */
function patternOf(names: readonly string[]): string {
  const escaped = names.map((name) => name.replaceAll(/[^\w > ]/g, ".").replaceAll(" > ", " (> )?"));
  return `^(${escaped.join("|")})$`;
}
