import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { pairedCases, prepareBuild } from "./against.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { svgChart } from "./report/chart.ts";
import { machineLines } from "./report/machine.ts";
import { markdownReport } from "./report/markdown.ts";
import { pairsReport } from "./report/pairs.ts";
import { type Outcome, runRounds } from "./rounds.ts";
import { WORKLOADS } from "./workloads/all.ts";

// `npm run bench`: measures Forebay beside other queues, or beside another build of it, and writes one
// report. See docs/performance.md.

/** Rounds of two builds. */
const PAIRS = 5;

const options = parseOptions(process.argv.slice(2), process.env);
if (options.help) console.log(USAGE);
else if (options.list) list();
else process.exit(await measure(options));

function list(): void {
  for (const { id, title, rounds, minutes, isExtra = false } of WORKLOADS) {
    const size = `${rounds} ${rounds === 1 ? "round" : "rounds"}, about ${minutes} minutes`;
    console.log(`${id.padEnd(16)} ${title} (${size}${isExtra ? ", only when named" : ""})`);
  }
  const total = WORKLOADS.reduce((sum, { minutes, isExtra }) => sum + (isExtra === true ? 0 : minutes), 0);
  console.log(`Without a name: about ${total} minutes. docs/performance.md says what must be installed.`);
}

/** The exit code: 1 if a case failed. What is missing fails nothing. */
async function measure(given: Options): Promise<number> {
  const fault = faultIn(given);
  if (fault !== undefined) {
    console.error(fault);
    return 2;
  }
  const { ids, only, out, scale } = given;
  const other = given.against === undefined ? undefined : prepareBuild(given.against);
  const chosen = WORKLOADS.filter(({ id, isExtra }) =>
    ids.length === 0 ? isExtra !== true : ids.includes(id),
  );
  const about = aboutLines(given, other);
  const outcomes: Outcome[] = [];
  for (const workload of chosen) {
    const all = await (other === undefined ? workload.cases(scale) : pairedCases(workload, scale, other));
    const cases = all.filter(({ name }) => name.includes(only));
    if (cases.length === 0) continue;
    const rounds = given.rounds ?? (other === undefined ? workload.rounds : PAIRS);
    outcomes.push(await runRounds(workload, cases, rounds, console.error));
    // After each workload: a run that ends early leaves what it has measured.
    const lines = [...about, `load average ${loadavg()[0]?.toFixed(1)} after`];
    if (other === undefined) write(out, outcomes, lines);
    else writeFile(out, "report.md", pairsReport(outcomes, lines));
    writeFile(out, "figures.json", `${JSON.stringify(outcomes.map(figuresIn), undefined, 2)}\n`);
  }
  console.log(`The report is in ${join(out, "report.md")}.`);
  return outcomes.some(({ missing }) => missing.some(({ hasFailed }) => hasFailed)) ? 1 : 0;
}

function faultIn({ ids, against }: Options): string | undefined {
  const unknown = ids.filter((id) => !WORKLOADS.some((workload) => workload.id === id));
  if (unknown.length > 0) {
    return `Unknown workload: ${unknown.join(", ")}. npm run bench -- --list shows them all.`;
  }
  if (against !== undefined && ids.length === 0) return "Name the workloads to measure with --against.";
  return undefined;
}

function aboutLines({ rounds, scale }: Options, other: string | undefined): string[] {
  return [
    `\`npm run bench -- ${process.argv.slice(2).join(" ")}\` on ${new Date().toISOString().slice(0, 10)}`,
    ...machineLines(scale.build, other),
    `${scale.jobs} jobs after ${scale.warmUp} to warm up, which are the cold figures` +
      (rounds === undefined ? "" : `; rounds: ${rounds}`),
    ...(scale.isQuick ? ["**quick mode: these figures mean nothing**"] : []),
  ];
}

function write(out: string, outcomes: readonly Outcome[], about: readonly string[]): void {
  const chart = svgChart(outcomes);
  if (chart !== undefined) writeFile(out, "chart.svg", chart);
  // Goals of extra workloads are shown only with their figures.
  const planned = WORKLOADS.filter(
    (workload) => workload.isExtra !== true || outcomes.some((outcome) => outcome.workload === workload),
  );
  writeFile(
    out,
    "report.md",
    markdownReport(planned, outcomes, about, chart === undefined ? undefined : "chart.svg"),
  );
}

function figuresIn({ workload, rounds }: Outcome) {
  return { workload: workload.id, rounds: rounds.map((round) => Object.fromEntries(round)) };
}

function writeFile(out: string, name: string, text: string): void {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, name), text);
}
