import { join } from "node:path";
import { parseArgs } from "node:util";
import { bullmq } from "./bullmq.ts";
import type { Contestant, Running } from "./contestant.ts";
import { ECHO } from "./echo.ts";
import { FOREBAY_PUBLIC, forebaySdk } from "./forebay.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `npm run bench`: whole jobs a second, side by side. Every contestant runs once in each
// round, one after the other, so that a machine whose speed drifts favours none; the table has the medians.
interface Figures {
  readonly jobsPerSecond: number;
  readonly cpuPerJob: number;
  readonly memory: number;
  readonly p50: number;
  readonly p99: number;
}

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "40000" },
    rounds: { type: "string", default: "5" },
    // Contestants whose names have this in them; all without it.
    only: { type: "string", default: "" },
  },
});
const jobs = Number(values.jobs);
const rounds = Number(values.rounds);
const contestants = [
  ECHO,
  bullmq(32),
  bullmq(64),
  bullmq(128),
  FOREBAY_PUBLIC,
  forebaySdk("Bun", "exchange"),
  forebaySdk("Bun", "exchange", "PostgreSQL"),
  forebaySdk("Bun", "public"),
  forebaySdk("Node", "exchange"),
  forebaySdk("Node", "public"),
].filter(({ name }) => name.includes(values.only));

const figures = new Map<string, Figures[]>(contestants.map(({ name }) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const contestant of contestants) {
    const measured = await measure(contestant);
    figures.get(contestant.name)?.push(measured);
    console.error(`round ${round}: ${contestant.name}: ${rowOf(measured)}`);
  }
}
console.log(table());

async function measure(contestant: Contestant): Promise<Figures> {
  const running = await contestant.start(jobs);
  const script = join(import.meta.dir, "load/submitters.ts");
  const target = [String(running.port), running.path, running.key, String(jobs)];
  const before = cpuOf(running);
  const startedAt = performance.now();
  const submitters = new MeasuredProcess([process.execPath, script, ...target]);
  try {
    const waits = JSON.parse(await submitters.line("p50"));
    await running.done();
    const seconds = (performance.now() - startedAt) / 1_000;
    const cpu = cpuOf(running) - before + submitters.cpu();
    const memory = running.processes.reduce((sum, process) => sum + process.memory(), 0);
    return { jobsPerSecond: jobs / seconds, cpuPerJob: cpu / jobs, memory, ...waits };
  } finally {
    await Promise.all([submitters, ...running.processes].map((process) => process.stop()));
    await running.clean();
  }
}

function cpuOf(running: Running): number {
  return running.processes.reduce((sum, process) => sum + process.cpu(), 0);
}

function table(): string {
  const peers = contestants.filter(({ name }) => name.startsWith("BullMQ"));
  const best = (peers.length > 0 ? peers : contestants).reduce((a, b) =>
    median(a.name, "jobsPerSecond") >= median(b.name, "jobsPerSecond") ? a : b,
  );
  const head = "| | jobs/s | × best BullMQ | CPU/job, µs | × | memory, MB | submit p50, ms | p99, ms |";
  const rows = contestants.map(({ name }) => {
    const of = (key: keyof Figures): number => median(name, key);
    const ratio = (key: keyof Figures): string => (of(key) / median(best.name, key)).toFixed(2);
    const cells = [
      of("jobsPerSecond").toFixed(0),
      ratio("jobsPerSecond"),
      of("cpuPerJob").toFixed(0),
      ratio("cpuPerJob"),
      of("memory").toFixed(0),
      of("p50").toFixed(1),
      of("p99").toFixed(1),
    ];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [head, "|---|---|---|---|---|---|---|---|", ...rows].join("\n");
}

function median(name: string, key: keyof Figures): number {
  const sorted = (figures.get(name) ?? []).map((one) => one[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function rowOf({ jobsPerSecond, cpuPerJob, memory, p50, p99 }: Figures): string {
  const [rate, cpu] = [jobsPerSecond.toFixed(0), cpuPerJob.toFixed(0)];
  const waits = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return `${rate} jobs/s, ${cpu} µs, ${memory.toFixed(0)} MB, ${waits}`;
}
