import type { Measured } from "../contestant.ts";
import { startLibraryWorker, startPublicWorkers } from "../contestants/forebay.ts";
import { type ForebayUnderTest, startForebayUnderTest } from "../forebay-server.ts";
import { type LoadClient, startClient } from "../load-client.ts";
import { type MeasuredPostgres, startMeasuredPostgres } from "../measured-postgres.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { shared } from "../shared.ts";
import { type Case, type Figures, type Goal, ratioGoal, type Scale, type Workload } from "../workload.ts";

const A_DAY = "86400000";
const SHALLOW = "1,000 queued, 1,000 kept";
const DEEP = "1,000,000 queued, 1,000,000 kept";
const DEPTHS = [
  [SHALLOW, 1_000, 100],
  [DEEP, 1_000_000, 1_000],
] as const;

interface Filled {
  readonly forebay: ForebayUnderTest;
  readonly database?: MeasuredPostgres;
}

const filled = shared<Filled>(async ({ forebay, database }) => {
  await forebay.server.stop();
  await forebay.clean();
  await database?.stop();
});

const common = {
  about:
    "A server for each depth is filled once, over HTTP. Then jobs run through each in turns, submitted and " +
    "finished at the same time, with 64 clients and 64 workers of the public protocol.",
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "cpu", title: "CPU/job of the server, µs", digits: 0 },
    { key: "storeCpu", title: "of the database, µs", digits: 0 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  end: () => filled.end(),
} as const;

/** W4: what it costs that many jobs are queued, and as many results stored. */
export const DEPTH: Workload = {
  ...common,
  id: "depth",
  title: "W4: depth of the queue",
  rounds: 3,
  minutes: 5,
  goals: goalsOf("W4"),
  cases: async (scale) => casesOn("SQLite", scale),
};

/** The same on PostgreSQL. */
export const DEPTH_ON_POSTGRES: Workload = {
  ...common,
  id: "depth-postgres",
  title: "Depth of the queue on PostgreSQL",
  rounds: 3,
  minutes: 15,
  isExtra: true,
  goals: goalsOf("PostgreSQL"),
  cases: async (scale) => casesOn("PostgreSQL", scale),
};

function goalsOf(name: string): Goal[] {
  const [row, against] = [DEEP, (other: string): boolean => other === SHALLOW];
  return [
    ratioGoal({
      what: `${name} 1,000,000 jobs queued and kept, × jobs/s with 1,000`,
      row,
      key: "rate",
      against,
      must: { least: 0.9 },
    }),
    ratioGoal({
      what: `${name} 1,000,000 jobs queued and kept, × CPU/job with 1,000`,
      row,
      key: "cpu",
      against,
      must: { most: 1.1 },
    }),
  ];
}

function casesOn(store: "SQLite" | "PostgreSQL", scale: Scale): Case[] {
  return DEPTHS.map(([name, full, quick]): Case => {
    const depth = scale.isQuick ? quick : full;
    const measureOne = async () => {
      const one = await filled.get(`${scale.build} ${name}`, () => fill(scale.build, store, depth));
      return [{ name, figures: await measure(one, scale) }];
    };
    return { name, measure: measureOne };
  });
}

async function measure({ forebay, database }: Filled, { warmUp, jobs }: Scale): Promise<Figures> {
  const { server } = forebay;
  // New ones each time: servers close connections that are idle for long.
  const client = await clientOf(forebay);
  const workers = startPublicWorkers(forebay, [warmUp, warmUp + jobs]);
  try {
    await run(client, workers, warmUp, warmUp);
    const processes: readonly Measured[] = database === undefined ? [server] : [server, database];
    const before = processes.map((one) => one.cpu());
    const figures = await run(client, workers, jobs, warmUp + jobs);
    const [cpu = 0, storeCpu] = processes.map((one, index) => (one.cpu() - (before[index] ?? 0)) / jobs);
    return { ...figures, cpu, ...(storeCpu === undefined ? {} : { storeCpu }), memory: server.memory() };
  } finally {
    await Promise.all([client.stop(), workers.stop()]);
  }
}

async function fill(build: string, store: "SQLite" | "PostgreSQL", depth: number): Promise<Filled> {
  const database = store === "SQLite" ? undefined : await startMeasuredPostgres();
  const onDatabase = database === undefined ? {} : { "database-url": database.url };
  const forebay = await startForebayUnderTest(build, { "run-retention-ms": A_DAY, ...onDatabase });
  const client = await clientOf(forebay);
  const worker = startLibraryWorker(forebay, { milestones: [depth] });
  await worker.line("ready");
  await run(client, worker, depth, depth);
  await worker.stop();
  await client.submit(depth);
  await client.stop();
  return { forebay, ...(database === undefined ? {} : { database }) };
}

function clientOf({ port, endpoint, key }: ForebayUnderTest): Promise<LoadClient> {
  return startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
}

/** Submits as many jobs, until the workers have run `total`. */
async function run(client: LoadClient, workers: MeasuredProcess, jobs: number, total: number) {
  const startedAt = performance.now();
  const [{ p50, p99 }] = await Promise.all([client.submit(jobs), workers.line(`ran ${total}`, 3_600_000)]);
  const rate = (jobs * 1_000) / (performance.now() - startedAt);
  return { rate, p50, p99 };
}
