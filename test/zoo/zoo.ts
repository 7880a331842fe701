import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { obstacleTo } from "../support/obstacle.ts";
import { type Suite, SUITES } from "../support/suites.ts";
import { typeFaults } from "./check-types.ts";
import type { Member } from "./member.ts";
import { runTests } from "./run-member.ts";
import { faultOf, Tree } from "./tree.ts";

// `npm run zoo [-- <part of a name>]`: breaks Forebay in each way of test/zoo/members, and shows which suite
// notices. With --unbroken it runs the same tests on the build as it is: all of them must pass.

/** As many as CI has cores. */
const AT_ONCE = 2;
const isCi = process.env["CI"] === "true";

const { values, positionals } = parseArgs({
  options: { unbroken: { type: "boolean", default: false } },
  allowPositionals: true,
});
const everybody = await allMembers();
const named = everybody.filter(({ name }) => positionals.every((part) => name.includes(part)));
const chosen = values.unbroken ? onePerTest(named) : named;
if (chosen.length === 0) throw new Error(`No member is named like ${positionals.join(" ")}.`);

const width = (of: (member: Member) => string): number => Math.max(...chosen.map((one) => of(one).length));
const widths = [7, width(({ name }) => name), width(({ breaks }) => breaks), width(suiteOf)];
const failures: string[] = [];
let passed = 0;
let skipped = 0;

const directory = mkdtempSync(join(tmpdir(), "forebay-zoo-"));
try {
  await checkMembers();
  console.log(row("seconds", "member", "broken promise", "suite", "the test that failed"));
  const obstacles = await allObstacles();
  const waiting = [...chosen];
  await Promise.all(Array.from({ length: AT_ONCE }, (_, slot) => runSlot(slot, waiting, obstacles)));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
for (const line of failures) console.log(`(fail) ${line}`);
// As `bun test` ends, so that test/run.ts counts them.
console.log(`\n ${passed} pass\n ${skipped} skip\n ${failures.length} fail`);
process.exit(failures.length === 0 ? 0 : 1);

async function allMembers(): Promise<Member[]> {
  const place = join(import.meta.dir, "members");
  const files = readdirSync(place).toSorted();
  const lists = files.map(
    async (file): Promise<readonly Member[]> => (await import(join(place, file))).MEMBERS,
  );
  return (await Promise.all(lists)).flat();
}

/** The promises that hold for all: texts that occur, names that differ, correct TypeScript. */
async function checkMembers(): Promise<void> {
  for (const member of chosen) {
    const fault = faultOf(member, suiteNamed(suiteOf(member)));
    if (fault !== undefined) failures.push(`${member.name}: ${fault}`);
    if (everybody.filter(({ name }) => name === member.name).length > 1) {
      failures.push(`${member.name}: another member has the same name`);
    }
  }
  if (failures.length > 0 || values.unbroken) return;
  const place = join(directory, "types");
  mkdirSync(place);
  const faults = await typeFaults(chosen, place);
  if (faults !== "") failures.push(`the broken builds are not correct TypeScript:\n${faults}`);
}

async function allObstacles(): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(chosen.map(suiteOf))];
  const found = await Promise.all(
    names.map(async (name): Promise<[string, string | undefined]> => {
      const suite = suiteNamed(name);
      return [name, suite === undefined ? undefined : await obstacleTo(suite)];
    }),
  );
  return new Map(found.filter((one): one is [string, string] => one[1] !== undefined));
}

async function runSlot(
  slot: number,
  waiting: Member[],
  obstacles: ReadonlyMap<string, string>,
): Promise<void> {
  const place = join(directory, String(slot));
  mkdirSync(place);
  const tree = new Tree(place);
  for (let member = waiting.shift(); member !== undefined; member = waiting.shift()) {
    const suite = suiteNamed(suiteOf(member));
    if (suite === undefined || faultOf(member, suite) !== undefined) continue;
    const obstacle = obstacles.get(suite.name);
    if (obstacle === undefined) await runMember(tree, member, suite);
    else leaveOut(member, obstacle);
  }
}

async function runMember(tree: Tree, member: Member, suite: Suite): Promise<void> {
  const mend = values.unbroken ? (): void => undefined : tree.break(member);
  const { verdict, seconds, output } = await runTests(tree.directory, suite, member.caughtBy);
  mend();
  const isRight = values.unbroken ? verdict.kind === "passed" : verdict.kind === "caught";
  const shown = isRight ? verdict.says : `${values.unbroken ? "FAILED" : "NOT CAUGHT"}: ${verdict.says}`;
  console.log(row(seconds.toFixed(1), member.name, member.breaks, suite.name, shown));
  if (isRight) passed += 1;
  else failures.push(`${member.name}: ${shown}\n${output}`);
}

function leaveOut(member: Member, obstacle: string): void {
  console.log(row("", member.name, member.breaks, suiteOf(member), `left out: ${obstacle}`));
  if (isCi) failures.push(`${member.name}: left out: ${obstacle}`);
  else skipped += 1;
}

/** Several members can name the same tests. */
function onePerTest(members: readonly Member[]): readonly Member[] {
  return [...new Map(members.map((member) => [JSON.stringify(member.caughtBy), member])).values()];
}

function suiteOf({ caughtBy }: Member): string {
  return caughtBy.suite;
}

function suiteNamed(name: string): Suite | undefined {
  return SUITES.find((suite) => suite.name === name);
}

function row(...cells: readonly string[]): string {
  const [seconds = "", ...rest] = cells;
  const padded = rest.map((cell, index) => cell.padEnd(widths[index + 1] ?? 0));
  return [seconds.padStart(widths[0] ?? 0), ...padded].join("  ");
}
