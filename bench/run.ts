import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { svgChart } from "./report/chart.ts";
import { machineLines } from "./report/machine.ts";
import { markdownReport } from "./report/markdown.ts";
import { type Outcome, runRounds } from "./rounds.ts";
import type { Workload } from "./workload.ts";
import { DEPTH } from "./workloads/depth.ts";
import { ENDPOINTS } from "./workloads/endpoints.ts";
import { HANDLER_START } from "./workloads/handler-start.ts";
import { JOBS_ON_POSTGRES } from "./workloads/jobs-postgres.ts";
import { JOBS_ON_SLOW_DISK } from "./workloads/jobs-slow-disk.ts";
import { JOBS } from "./workloads/jobs.ts";
import { LARGE_BODIES } from "./workloads/large-bodies.ts";
import { MEMORY } from "./workloads/memory.ts";
import { RATE_LIMITS_AT_FULL } from "./workloads/rate-limits.ts";
import { RUNSYNC } from "./workloads/runsync.ts";
import { START } from "./workloads/start.ts";

// `npm run bench`: measures Forebay beside other queues, and writes one report. See docs/performance.md.
const WORKLOADS: readonly Workload[] = [
  JOBS,
  JOBS_ON_POSTGRES,
  JOBS_ON_SLOW_DISK,
  RUNSYNC,
  HANDLER_START,
  DEPTH,
  MEMORY,
  LARGE_BODIES,
  ENDPOINTS,
  START,
  RATE_LIMITS_AT_FULL,
];

const options = parseOptions(process.argv.slice(2), process.env);
if (options.help) console.log(USAGE);
else if (options.list) list();
else process.exit(await measure(options));

function list(): void {
  for (const { id, title, minutes } of WORKLOADS) {
    console.log(`${id.padEnd(16)} ${title} (about ${minutes} minutes)`);
  }
  const total = WORKLOADS.reduce((sum, { minutes }) => sum + minutes, 0);
  console.log(`All with 3 rounds: about ${total} minutes. docs/performance.md says what must be installed.`);
}

/** The exit code: 1 if a case failed. What is missing fails nothing. */
async function measure({ ids, rounds, only, out, scale }: Options): Promise<number> {
  const unknown = ids.filter((id) => !WORKLOADS.some((workload) => workload.id === id));
  if (unknown.length > 0) {
    console.error(`Unknown workload: ${unknown.join(", ")}. npm run bench -- --list shows them all.`);
    return 2;
  }
  const about = [
    `\`npm run bench -- ${process.argv.slice(2).join(" ")}\` on ${new Date().toISOString().slice(0, 10)}`,
    ...machineLines(),
    `rounds: ${rounds}, of ${scale.jobs} jobs after ${scale.warmUp} to warm up, which are the cold figures`,
    ...(scale.isQuick ? ["**quick mode: these figures mean nothing**"] : []),
  ];
  const outcomes: Outcome[] = [];
  for (const workload of WORKLOADS) {
    if (ids.length > 0 && !ids.includes(workload.id)) continue;
    const cases = (await workload.cases(scale)).filter(({ name }) => name.includes(only));
    if (cases.length === 0) continue;
    outcomes.push(await runRounds(workload, cases, rounds, console.error));
    // After each workload: a run that ends early leaves what it has measured.
    write(out, outcomes, [...about, `load average ${loadavg()[0]?.toFixed(1)} after`]);
  }
  console.log(`The report is in ${join(out, "report.md")}.`);
  return outcomes.some(({ missing }) => missing.some(({ hasFailed }) => hasFailed)) ? 1 : 0;
}

function write(out: string, outcomes: readonly Outcome[], about: readonly string[]): void {
  mkdirSync(out, { recursive: true });
  const chart = svgChart(outcomes);
  if (chart !== undefined) writeFileSync(join(out, "chart.svg"), chart);
  const report = markdownReport(outcomes, about, chart === undefined ? undefined : "chart.svg");
  writeFileSync(join(out, "report.md"), report);
  const figures = outcomes.map(({ workload, rounds }) => ({
    workload: workload.id,
    rounds: rounds.map((round) => Object.fromEntries(round)),
  }));
  writeFileSync(join(out, "figures.json"), `${JSON.stringify(figures, undefined, 2)}\n`);
}
