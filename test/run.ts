import { obstacleTo } from "./support/obstacle.ts";
import { type Lane, runLanes } from "./support/run-lanes.ts";
import { runSuite, type SuiteOutcome } from "./support/run-suite.ts";
import { type Suite, SUITES } from "./support/suites.ts";

// `npm test`: every suite that can run here. Names as arguments run only these; --quick those of `npm run
// check`.
const isCi = process.env["CI"] === "true";
const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("--"));
const chosen = SUITES.filter(({ name, isQuick }) =>
  names.length > 0 ? names.includes(name) : isQuick || !args.includes("--quick"),
);

const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  const all = SUITES.map(({ name }) => name).join(", ");
  console.error(`There is no suite ${unknown.join(", ")}. The suites: ${all}.`);
  process.exit(2);
}

/** The longest begin first, so that none of them runs on alone at the end. */
const LONGEST = [
  "postgres",
  "http",
  "e2e",
  "browser",
  "openapi",
  "docker",
  "zoo",
  "simulation",
  "command line",
  "openai clients",
  "model",
  "snippets",
  "python",
  "python on two servers",
  "sdk versions",
  "failover",
];
const rankOf = ({ name, isQuick }: Suite): number => {
  const rank = LONGEST.indexOf(name);
  if (isQuick) return -1;
  return rank < 0 ? LONGEST.length : rank;
};
const suites = chosen.toSorted((one, other) => rankOf(one) - rankOf(other));

// Two suites at a time use the processor, each about half of two cores, and one more waits. Suites that were
// named show what they print, those of the first lane while they run; otherwise a suite shows what failed.
const lanes: readonly Lane[] = [{ waits: false }, { waits: false }, { waits: true }];
const live = suites.some(({ waits }) => waits !== true) ? lanes[0] : lanes[2];
const begunAt = performance.now();
const obstacles = prepareAll(suites);
const outcomes = await runLanes(suites, lanes, async (suite, lane) => {
  const obstacle = await obstacles.get(suite);
  if (obstacle !== undefined) return leaveOut(suite, obstacle);
  const named = lane === live ? "live" : "at the end";
  const outcome = await runSuite(suite, names.length > 0 ? named : "failures");
  console.log(lineOf(outcome));
  return outcome;
});

console.log("\n--- seconds of each suite: passed, and of CPU time ---");
for (const outcome of outcomes) console.log(lineOf(outcome));
const cpuOfAll = outcomes.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
console.log(`${figures((performance.now() - begunAt) / 1_000, cpuOfAll)}  all of them, side by side`);
for (const line of outcomes.flatMap(({ name, failures }) => failures.map((one) => `${name}: ${one}`))) {
  console.log(line);
}
const sum = (of: (outcome: SuiteOutcome) => number): number =>
  outcomes.reduce((total, one) => total + of(one), 0);
const failed = sum((outcome) => outcome.failed);
const passed = sum((outcome) => outcome.passed);
console.log(`\n${passed} passed, ${failed} failed, ${sum((outcome) => outcome.skipped)} skipped`);
process.exit(failed === 0 ? 0 : 1);

/** Looks, ahead of the lanes and one by one, whether each suite can run: some install what they need. */
function prepareAll(suites: readonly Suite[]): ReadonlyMap<Suite, Promise<string | undefined>> {
  let last: Promise<unknown> = Promise.resolve();
  return new Map(
    suites.map((suite) => {
      const obstacle = last.then(() => obstacleTo(suite));
      last = obstacle;
      return [suite, obstacle] as const;
    }),
  );
}

function figures(...all: number[]): string {
  return all.map((one) => one.toFixed(1).padStart(8)).join("");
}

function lineOf({ name, seconds, cpuSeconds, passed, failed }: SuiteOutcome): string {
  return `${figures(seconds, cpuSeconds)}  ${name}: ${passed} passed, ${failed} failed`;
}

function leaveOut({ name, isOptional = false }: Suite, obstacle: string): SuiteOutcome {
  console.log(`\n--- ${name} ---\nleft out: ${obstacle}`);
  const failures = isCi && !isOptional ? [obstacle] : [];
  return { name, seconds: 0, cpuSeconds: 0, passed: 0, failed: failures.length, skipped: 1, failures };
}
