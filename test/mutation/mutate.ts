import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { anyPostgres } from "../support/given-postgres.ts";
import { Compiler } from "./compiler.ts";
import { EQUIVALENT } from "./equivalent.ts";
import { Killer } from "./kill.ts";
import { type Mutant, shownChange } from "./mutant.ts";
import { type Reach, reachOf } from "./reach.ts";
import { type Judged, rateOf, table } from "./table.ts";
import { readTargets } from "./targets.ts";
import { testFiles } from "./test-files.ts";
import { Tree } from "./tree.ts";

// `npm run mutate -- <paths>` changes the code in small ways, one at a time, and runs the tests that come to
// the place. A mutant that no test fails with shows what no test looks at.
//   --sample N, --seed S   try only so many, drawn at random
//   --minutes M            stop after so long; the order is random, so what was tried is a sample, too
//   --budget SECONDS       of tests for one mutant at most, counted as they take without one
//   --tests PATH           only the test files whose paths begin so; may be given several times
//   --quick                without the tests of requests and background jobs
//   --without-postgres     never with the tests on PostgreSQL, which only its own steps need
//   --least PERCENT        fail if the rate is lower
// After SIGINT it judges no further mutants, and prints the table of those so far.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: process.env["SEED"] ?? String(Date.now() % 1_000_000) },
    least: { type: "string", default: "0" },
    tests: { type: "string", default: [], multiple: true },
    quick: { type: "boolean", default: false },
    budget: { type: "string", default: "60" },
    minutes: { type: "string", default: "600" },
    "without-postgres": { type: "boolean", default: false },
  },
});
const seed = Number(values.seed);
const sample = values.sample === undefined ? Number.POSITIVE_INFINITY : Number(values.sample);
if (!Number.isSafeInteger(seed) || !(sample > 0)) throw new Error("--seed and --sample must be numbers.");

const { mutants, texts, sources } = readTargets();
const sourceOf = (mutant: Mutant): string => sources.get(mutant.file) ?? "";
const isEquivalent = (mutant: Mutant): boolean => {
  const change = shownChange(mutant, sourceOf(mutant));
  const line = sourceOf(mutant).split("\n")[mutant.line - 1] ?? "";
  return EQUIVALENT.some(
    (one) => one.file === mutant.file && one.change === change && line.includes(one.line),
  );
};
const named = mutants.filter(
  ({ file }) => positionals.length === 0 || positionals.some((path) => file.startsWith(path)),
);
const chosen = drawn(named.filter((mutant) => !isEquivalent(mutant)));
console.log(`${chosen.length} of ${named.length} mutants, seed ${seed}`);

using tree = new Tree(texts);
// The others are reached through SQLite and in memory, where the same tests are quicker.
const isOfPostgres = named.some(({ file }) => file.startsWith("src/store/postgres/"));
const isOnPostgres = isOfPostgres && !values["without-postgres"];
await using postgres = isOnPostgres ? await anyPostgres() : undefined;
const env = postgres === undefined ? {} : { TEST_DATABASE_URL: postgres.url("postgres") };
const reaches: Reach[] = [];
const choice = { isQuick: values.quick, isOnPostgres: postgres !== undefined, paths: values.tests };
for (const test of testFiles(choice)) {
  reaches.push(await reachOf(test, { directory: tree.directory, texts, env }));
}

const killer = new Killer(tree.directory, reaches, env, Number(values.budget));
using compiler = new Compiler();
const judged: Judged[] = [];
const endsAt = performance.now() + Number(values.minutes) * 60_000;
let isInterrupted = false;
process.once("SIGINT", () => (isInterrupted = true));
for (const mutant of chosen) {
  if (isInterrupted || performance.now() > endsAt) break;
  const source = sourceOf(mutant);
  const verdict = await killer.judge(mutant);
  const isRefused = verdict.is !== "killed" && compiler.refuses(mutant, source);
  const is = isRefused ? "refused" : verdict.is;
  judged.push({ mutant, is });
  if (judged.length % 50 === 0) console.log(`${judged.length} of ${chosen.length}`);
  if (is === "survived" || is === "not reached") {
    const untried =
      verdict.is === "survived" && verdict.untried > 0 ? ` (${verdict.untried} files untried)` : "";
    console.log(`${is}${untried}  ${mutant.file}:${mutant.line}  ${shownChange(mutant, source)}`);
  }
}
console.log(table(judged));
mkdirSync(".cache/mutation", { recursive: true });
writeFileSync(".cache/mutation/last.json", JSON.stringify(judged));
if (rateOf(judged) < Number(values.least)) process.exitCode = 1;

/** At random, in an order that the seed gives. */
function drawn(from: readonly Mutant[]): Mutant[] {
  const random = mulberry(seed);
  const keyed = from.map((mutant) => ({ mutant, key: random() })).toSorted((a, b) => a.key - b.key);
  return keyed.slice(0, sample).map(({ mutant }) => mutant);
}

function mulberry(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
