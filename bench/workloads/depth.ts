import { startPublicWorkers } from "../contestants/forebay.ts";
import { type ForebayUnderTest, startForebayUnderTest } from "../forebay-server.ts";
import { type LoadClient, startClient } from "../load-client.ts";
import { type Case, type Figures, ratioGoal, type Scale, type Workload } from "../workload.ts";

const A_DAY = "86400000";
const SHALLOW = "1,000 queued, 1,000 kept";
const DEEP = "1,000,000 queued, 1,000,000 kept";

/** The servers stay over all rounds: filling them takes minutes. */
const filled = new Map<number, Promise<ForebayUnderTest>>();

/** W4: what it costs that many jobs are queued, and as many results stored. */
export const DEPTH: Workload = {
  id: "depth",
  title: "W4: depth of the queue",
  about:
    "A server for each depth is filled once, over HTTP. Then jobs run through each in turns, submitted and " +
    "finished at the same time, with 64 clients and 64 workers of the public protocol.",
  minutes: 8,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "cpu", title: "CPU/job of the server, µs", digits: 0 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  goals: [
    ratioGoal({
      what: "jobs/s with 1,000,000 queued, × those with 1,000",
      row: DEEP,
      key: "rate",
      against: (row) => row === SHALLOW,
      must: { least: 0.9 },
    }),
    ratioGoal({
      what: "CPU/job with 1,000,000 queued, × that with 1,000",
      row: DEEP,
      key: "cpu",
      against: (row) => row === SHALLOW,
      must: { most: 1.1 },
    }),
  ],
  async cases(scale) {
    const depths = [
      [SHALLOW, scale.isQuick ? 100 : 1_000],
      [DEEP, scale.isQuick ? 1_000 : 1_000_000],
    ] as const;
    return depths.map(([name, depth]): Case => ({
      name,
      measure: async () => [{ name, figures: await measure(depth, scale) }],
    }));
  },
  async end() {
    for (const one of filled.values()) {
      const forebay = await one;
      await forebay.server.stop();
      await forebay.clean();
    }
    filled.clear();
  },
};

async function measure(depth: number, { warmUp, jobs }: Scale): Promise<Figures> {
  const known = filled.get(depth) ?? fill(depth);
  filled.set(depth, known);
  const forebay = await known;
  // A new one each time: servers close connections that are idle for long.
  const client = await clientOf(forebay);
  try {
    await run(forebay, client, warmUp);
    const usedBefore = forebay.server.cpu();
    const figures = await run(forebay, client, jobs);
    const cpu = (forebay.server.cpu() - usedBefore) / jobs;
    return { ...figures, cpu, memory: forebay.server.memory() };
  } finally {
    await client.stop();
  }
}

async function fill(depth: number): Promise<ForebayUnderTest> {
  const forebay = await startForebayUnderTest({ "run-retention-ms": A_DAY });
  const client = await clientOf(forebay);
  await run(forebay, client, depth);
  await client.submit(depth);
  await client.stop();
  return forebay;
}

function clientOf({ port, endpoint, key }: ForebayUnderTest): Promise<LoadClient> {
  return startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
}

/** Submits as many jobs while 64 workers run as many. */
async function run(forebay: ForebayUnderTest, client: LoadClient, jobs: number) {
  const startedAt = performance.now();
  const workers = startPublicWorkers(forebay, [jobs]);
  const [{ p50, p99 }] = await Promise.all([client.submit(jobs), workers.line(`ran ${jobs}`, 3_600_000)]);
  const rate = (jobs * 1_000) / (performance.now() - startedAt);
  await workers.stop();
  return { rate, p50, p99 };
}
