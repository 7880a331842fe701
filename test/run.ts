import { obstacleTo } from "./support/obstacle.ts";
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

// Two lanes: one uses the processor, the other mostly waits. The second shows each suite when it has ended.
const lanes = [chosen.filter(({ waits }) => waits !== true), chosen.filter(({ waits }) => waits === true)];
const [shown = [], quiet = []] = lanes;
const outcomes = (await Promise.all([runLane(shown, true), runLane(quiet, shown.length === 0)])).flat();

console.log("\n--- seconds of each suite: passed, and of CPU time ---");
for (const { name, seconds, cpuSeconds, passed, failed } of outcomes) {
  const figures = [seconds, cpuSeconds].map((figure) => figure.toFixed(1).padStart(7)).join("");
  console.log(`${figures}  ${name}: ${passed} passed, ${failed} failed`);
}
for (const line of outcomes.flatMap(({ name, failures }) => failures.map((one) => `${name}: ${one}`))) {
  console.log(line);
}
const sum = (of: (outcome: SuiteOutcome) => number): number =>
  outcomes.reduce((total, one) => total + of(one), 0);
const failed = sum((outcome) => outcome.failed);
const passed = sum((outcome) => outcome.passed);
console.log(`\n${passed} passed, ${failed} failed, ${sum((outcome) => outcome.skipped)} skipped`);
process.exit(failed === 0 ? 0 : 1);

async function runLane(suites: readonly Suite[], isLive: boolean): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = [];
  for (const suite of suites) {
    const obstacle = await obstacleTo(suite);
    outcomes.push(obstacle === undefined ? await runSuite(suite, isLive) : leaveOut(suite, obstacle));
  }
  return outcomes;
}

function leaveOut({ name, isOptional = false }: Suite, obstacle: string): SuiteOutcome {
  console.log(`\n--- ${name} ---\nleft out: ${obstacle}`);
  const failures = isCi && !isOptional ? [obstacle] : [];
  return { name, seconds: 0, cpuSeconds: 0, passed: 0, failed: failures.length, skipped: 1, failures };
}
