import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestFile } from "./test-files.ts";
import { runTrial } from "./trial.ts";

/** Which mutants the tests of a file come to. */
export interface Reach {
  readonly test: TestFile;
  readonly seconds: number;
  /** By the number of a mutant: the indices of its tests in `names`, or 0 alone for all of them. */
  readonly tests: ReadonlyMap<number, readonly number[]>;
  /** From 1; of the first there is none. */
  readonly names: readonly string[];
}

export interface InstrumentedTree {
  readonly directory: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
}

interface Kept {
  readonly key: string;
  readonly seconds: number;
  readonly tests: readonly (readonly [number, readonly number[]])[];
  readonly names: readonly string[];
}

const CACHE = ".cache/mutation/reach";
/** The tests of a file that is quicker are not told apart. */
const QUICK_SECONDS = 1.5;
const LIMIT_SECONDS = 300;

/** Runs the file once without a mutant, or reads what such a run has shown. */
export async function reachOf(test: TestFile, { directory, texts, env }: InstrumentedTree): Promise<Reach> {
  const cache = join(CACHE, `${test.file.replaceAll("/", "_")}.json`);
  const key = keyOf(test, texts.values());
  const kept = existsSync(cache) ? (JSON.parse(readFileSync(cache, "utf8")) as Kept) : undefined;
  if (kept?.key === key) return { ...kept, test, tests: new Map(kept.tests) };
  const reach = await measure(test, directory, env);
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(cache, JSON.stringify({ ...reach, key, tests: [...reach.tests] }));
  return reach;
}

async function measure(
  test: TestFile,
  directory: string,
  env: Readonly<Record<string, string>>,
): Promise<Reach> {
  const into = join(directory, "reached");
  writeFileSync(into, "");
  const args = ["--preload", join(directory, "test/mutation/count-tests.ts")];
  const trial = { directory, test, args, limitSeconds: LIMIT_SECONDS };
  const { isPassed, seconds, output } = await runTrial({ ...trial, env: { ...env, MUTANTS_REACHED: into } });
  if (!isPassed) throw new Error(`${test.file} fails without a mutant\n${output.slice(-3_000)}`);
  const names = [
    "",
    ...[...output.matchAll(/^\(pass\) (.*?)(?: \[[\d.]+m?s\])?$/gm)].map(([, name]) => name ?? ""),
  ];
  const sets = new Map<number, Set<number>>();
  for (const line of readFileSync(into, "utf8").split("\n")) {
    const [index = 0, id = 0] = line.split(" ").map(Number);
    if (id === 0) continue;
    const found = sets.get(id) ?? new Set();
    sets.set(id, found.add(seconds < QUICK_SECONDS ? 0 : index));
  }
  const tests = new Map([...sets].map(([id, set]) => [id, set.has(0) ? [0] : [...set]]));
  return { test, seconds, tests, names };
}

function keyOf(test: TestFile, texts: Iterable<string>): string {
  const folders = ["src", "test/support", dirname(test.file)];
  if (test.file.includes("contract")) folders.push("test/contract", "test/model");
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`)).toSorted();
  const hash = createHash("sha256").update(JSON.stringify(test));
  for (const file of files) {
    if (file === test.file || !file.endsWith(".test.ts")) hash.update(file).update(readFileSync(file));
  }
  for (const text of texts) hash.update(text);
  return hash.digest("hex");
}
