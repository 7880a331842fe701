import { type Contestant, stopRunning } from "../contestant.ts";
import { forebayLibrary, forebayServers } from "../contestants/forebay.ts";
import { startClient } from "../load-client.ts";
import { type Case, type Figures, type Goal, ratioGoal, type Scale, type Workload } from "../workload.ts";

const STORES = ["SQLite", "PostgreSQL"] as const;
/** Until the records are written, and on SQLite the results deleted, ms. */
const SETTLING = 8_000;

/** W12: what it costs to keep a record of each finished job. */
export const HISTORY: Workload = {
  id: "history",
  title: "W12: jobs with and without a history",
  about:
    "64 clients submit whole jobs to a worker of our own library that runs 64 at a time (PostgreSQL: 256), " +
    "with --history 7d and --history 0 in turns. CPU is that of the server and the database until " +
    `${SETTLING / 1_000} s after the last job: then its record is written, and on SQLite its result deleted.`,
  rounds: 5,
  minutes: 7,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "cpu", title: "CPU/job of server and database, µs", digits: 1 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
  ],
  goals: STORES.flatMap(goalsOf),
  async cases(scale) {
    return STORES.flatMap((store) =>
      ["7d", "0"].map((history): Case => {
        const name = nameOf(store, history);
        const contestant = contestantOf(store, name, scale.build, { FOREBAY_HISTORY: history });
        return { name, measure: async () => [{ name, figures: await measure(contestant, scale) }] };
      }),
    );
  },
};

function nameOf(store: string, history: string): string {
  return `${store}, --history ${history}`;
}

function goalsOf(store: string): Goal[] {
  const pair = { row: nameOf(store, "7d"), against: (row: string) => row === nameOf(store, "0") };
  return [
    ratioGoal({
      ...pair,
      what: `W12 ${store}, × jobs/s without a history`,
      key: "rate",
      must: { least: 0.95 },
    }),
    ratioGoal({
      ...pair,
      what: `W12 ${store}, × CPU/job without a history`,
      key: "cpu",
      must: { most: 1.15 },
    }),
  ];
}

function contestantOf(
  store: (typeof STORES)[number],
  name: string,
  build: string,
  env: Readonly<Record<string, string>>,
): Contestant {
  if (store === "SQLite") return forebayLibrary(build, name, "Bun", "exchange", env);
  return forebayServers(build, name, 1, env);
}

async function measure(contestant: Contestant, { isQuick, warmUp, jobs }: Scale): Promise<Figures> {
  const running = await contestant.start([warmUp, warmUp + jobs]);
  const { servers, stores } = running;
  const cpuOf = (): number => [...servers, ...stores].reduce((sum, one) => sum + one.cpu(), 0);
  try {
    const client = await startClient(running.target);
    try {
      await Promise.all([client.submit(warmUp), running.ran(warmUp)]);
      await Bun.sleep(isQuick ? 0 : SETTLING);
      const [startedAt, before] = [performance.now(), cpuOf()];
      const [{ p50, p99 }] = await Promise.all([client.submit(jobs), running.ran(warmUp + jobs)]);
      const rate = (jobs * 1_000) / (performance.now() - startedAt);
      await Bun.sleep(isQuick ? 0 : SETTLING);
      return { rate, p50, p99, cpu: (cpuOf() - before) / jobs };
    } finally {
      await client.stop();
    }
  } finally {
    await stopRunning(running);
  }
}
