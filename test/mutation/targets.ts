import { globSync, readFileSync } from "node:fs";
import { instrument } from "./instrument.ts";
import type { Mutant } from "./mutant.ts";

/** The folders that are mutated. */
const TARGETS = [
  "src/domain",
  "src/engine",
  "src/store/job-steps",
  "src/store/sqlite/steps",
  "src/store/postgres/steps",
];

export interface Targets {
  readonly mutants: readonly Mutant[];
  /** The text of each file with its mutants in it. */
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: ReadonlyMap<string, string>;
}

/** All mutants of the targets, always with the same numbers. */
export function readTargets(): Targets {
  const mutants: Mutant[] = [];
  const texts = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const file of TARGETS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).toSorted()) {
    const source = readFileSync(file, "utf8");
    const instrumented = instrument(file, source, mutants.length + 1);
    sources.set(file, source);
    texts.set(file, instrumented.text);
    mutants.push(...instrumented.mutants);
  }
  return { mutants, texts, sources };
}
