import { parseArgs } from "node:util";
import { START } from "../test/contract/queue.ts";
import { stepsOf } from "../test/model/steps.ts";
import { openPostgresQueue } from "./postgres-queue.ts";

// `node bin/bun.mjs bench/postgres-take.ts`: how long a hand-out takes with 16 takers and 100,000 jobs
// waiting, at half of the rate that was measured just before, beside one on an idle database. Hand-outs are
// due at fixed times, whether or not the one before is through, and their waits count from then on.
const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const BACKLOG = 100_000;
const TAKERS = 16;
const SECONDS = 10;
const IDLE_RATE = 20;

await using queue = await openPostgresQueue();
const { take, finish } = stepsOf(queue.endpoint);
await queue.wholeJobs(5_000);
await queue.fillUpTo(BACKLOG);
console.log("| peak, whole jobs/s | idle p50, ms | p99 | at half of the peak p50, ms | p99 | p99 × idle |");
console.log(`|${"---|".repeat(6)}`);
for (let round = 0; round < Number(values.rounds); round++) {
  const peak = await peakOf();
  const idle = await waitsAt(IDLE_RATE);
  const half = await waitsAt(peak / 2);
  const cells = [idle.p50, idle.p99, half.p50, half.p99].map((wait) => wait.toFixed(1));
  console.log(`| ${peak.toFixed(0)} | ${cells.join(" | ")} | ${(half.p99 / idle.p99).toFixed(1)} |`);
}

/** Whole jobs a second with as many takers, each as fast as it can. */
async function peakOf(): Promise<number> {
  const until = performance.now() + SECONDS * 500;
  let jobs = 0;
  const takers = Array.from({ length: TAKERS }, async (_, index) => {
    while (performance.now() < until) {
      await Promise.all([wholeJob(`taker-${index}`), queue.store.apply([queue.submission()], START)]);
      jobs++;
    }
  });
  await Promise.all(takers);
  return jobs / (SECONDS / 2);
}

/** Waits of hand-outs that are due so many times a second, each with a submission beside it. */
async function waitsAt(rate: number): Promise<{ p50: number; p99: number }> {
  const waits: number[] = [];
  const startedAt = performance.now();
  const submissions: Promise<unknown>[] = [];
  let next = 0;
  const takers = Array.from({ length: TAKERS }, async (_, index) => {
    for (let due = 0; due < SECONDS * 1_000;) {
      due = (next++ * 1_000) / rate;
      const early = startedAt + due - performance.now();
      if (early > 0) await Bun.sleep(early);
      submissions.push(queue.store.apply([queue.submission()], START));
      await wholeJob(`taker-${index}`, () => waits.push(performance.now() - startedAt - due));
    }
  });
  await Promise.all([...takers, ...submissions]);
  waits.sort((a, b) => a - b);
  const at = (share: number): number => waits[Math.floor(waits.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

async function wholeJob(worker: string, onTaken = (): unknown => undefined): Promise<void> {
  const [taken] = await queue.store.apply([take(worker)], START);
  onTaken();
  const results = taken.map(({ id, attempt }) =>
    finish("complete", id, { worker, attempt, output: queue.body }),
  );
  await queue.store.apply(results, START);
}
