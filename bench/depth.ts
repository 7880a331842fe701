import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ForebayUnderTest, startForebayUnderTest } from "./forebay.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/depth.ts --depths 1000,1000000`: what it costs that as many jobs are queued
// already, and as many results are kept. A server for each depth is filled; then, in turns, as many jobs as
// are measured run through each, submitted and ended at the same time.
const { values } = parseArgs({
  options: {
    depths: { type: "string", default: "1000,1000000" },
    jobs: { type: "string", default: "20000" },
    rounds: { type: "string", default: "5" },
  },
});
const jobs = Number(values.jobs);
const rounds = Number(values.rounds);
const A_DAY = "86400000";

interface Filled {
  readonly depth: number;
  readonly forebay: ForebayUnderTest;
  readonly rounds: Round[];
}

interface Round {
  readonly rate: number;
  /** CPU time of the server for each job, µs. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

const filled: Filled[] = [];
for (const depth of values.depths.split(",").map(Number)) {
  const forebay = await startForebayUnderTest({ "run-retention-ms": A_DAY });
  await Promise.all([submit(forebay, depth), work(forebay, depth)]);
  await submit(forebay, depth);
  filled.push({ depth, forebay, rounds: [] });
}
for (let round = 0; round < rounds; round++) {
  for (const { forebay, rounds: measured } of filled) {
    const [startedAt, usedBefore] = [performance.now(), forebay.server.cpu()];
    const [waits] = await Promise.all([submit(forebay, jobs), work(forebay, jobs)]);
    const rate = (jobs * 1_000) / (performance.now() - startedAt);
    measured.push({ rate, cpu: (forebay.server.cpu() - usedBefore) / jobs, ...waits });
  }
}
console.log("| queued, as many kept | whole jobs/s | CPU/job, µs | submit p50, ms | p99, ms | memory, MB |");
console.log("|---|---|---|---|---|---|");
for (const { depth, forebay, rounds: measured } of filled) {
  const of = (key: keyof Round): number =>
    measured.map((one) => one[key]).toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
  const cells = [of("rate").toFixed(0), of("cpu").toFixed(0), of("p50").toFixed(1), of("p99").toFixed(1)];
  console.log(`| ${depth} | ${cells.join(" | ")} | ${forebay.server.memory().toFixed(0)} |`);
  await forebay.server.stop();
  await forebay.clean();
}

/** Submits from 64 connections, each as soon as its last call is answered. */
async function submit(
  { port, endpoint, key }: ForebayUnderTest,
  count: number,
): Promise<{ p50: number; p99: number }> {
  const script = join(import.meta.dir, "load/submitters.ts");
  const target = [String(port), `/v2/${endpoint}/run`, key, String(count)];
  const submitters = new MeasuredProcess([process.execPath, script, ...target]);
  const waits = JSON.parse(await submitters.line("p50", 3_600_000));
  await submitters.stop();
  return waits;
}

/** 64 workers take and end that many jobs. */
async function work({ port, endpoint, workerEnv }: ForebayUnderTest, count: number): Promise<void> {
  const script = join(import.meta.dir, "load/public-workers.ts");
  const token = workerEnv["RUNPOD_AI_API_KEY"] ?? "";
  const workers = new MeasuredProcess([
    process.execPath,
    script,
    String(port),
    endpoint,
    token,
    String(count),
  ]);
  await workers.line("done", 3_600_000);
  await workers.stop();
}
