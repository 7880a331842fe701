import { KEY } from "../forebay-server.ts";
import { type PastJobs, pastJobs, TAGS } from "../past-jobs.ts";
import type { Case, Figures, Goal, Round, Row, Scale, Workload } from "../workload.ts";

const STORES = ["SQLite", "PostgreSQL"] as const;
const JOBS = { full: 100_000, quick: 400 };
const CALLS = { full: 100, quick: 3 };
/** Jobs that are submitted and run meanwhile, a second. */
const LOAD = 100;

/** W11: how long a search for jobs takes in a long history. */
export const FIND: Workload = {
  id: "find",
  title: "W11: finding jobs among 100,000",
  about:
    `${JOBS.full.toLocaleString("en")} finished jobs on 20 endpoints, 3 % of them failed. Beside them ` +
    `${LOAD} jobs a second are submitted and run. Each filter of GET /v1/jobs is called ${CALLS.full} ` +
    "times, one call after the other. CPU is that of the server and the database for one call, without the " +
    "jobs beside.",
  rounds: 1,
  minutes: 6,
  columns: [
    { key: "p50", title: "p50, ms", digits: 1 },
    { key: "p95", title: "p95, ms", digits: 1 },
    { key: "max", title: "worst, ms", digits: 1 },
    { key: "cpu", title: "CPU/call, ms", digits: 1 },
    { key: "jobs", title: "jobs on the page", digits: 0 },
  ],
  goals: STORES.map(slowest),
  async cases(scale) {
    return STORES.map((store): Case => ({ name: store, measure: () => measure(store, scale) }));
  },
};

function slowest(store: string): Goal {
  return {
    what: `W11 ${store}, 100,000 finished jobs beside ${LOAD} jobs/s: p95 of the slowest filter, ms`,
    must: { most: 200 },
    digits: 0,
    requires: (name) => name === store,
    values: (rounds) => rounds.flatMap((round) => slowestIn(round, store)),
  };
}

function slowestIn(round: Round, store: string): number[] {
  const all = [...round].flatMap(([name, { p95 }]) => (name.startsWith(`${store}: `) ? [p95 ?? 0] : []));
  return all.length === 0 ? [] : [Math.max(...all)];
}

async function measure(store: (typeof STORES)[number], scale: Scale): Promise<Row[]> {
  const size = scale.isQuick ? "quick" : "full";
  const past = await pastJobs(scale.build, store, JOBS[size]);
  try {
    past.client.begin(LOAD);
    const alone = await loadAlone(past, scale.isQuick ? 200 : 5_000);
    const rows: Row[] = [];
    for (const query of queriesOf(past)) {
      const figures = await called(past, query, CALLS[size], alone);
      rows.push({ name: `${store}: ${nameOf(query)}`, figures });
    }
    return rows;
  } finally {
    await past.stop();
  }
}

/** Each filter alone, and pairs that people use. Filters that match nothing read the most. */
function queriesOf({ endpoints, worker, from, to }: PastJobs): string[] {
  const [one = ""] = endpoints;
  const error = "error=cuda%20out%20of%20memory";
  return [
    "",
    "state=FAILED",
    "state=COMPLETED",
    "state=CANCELLED",
    `endpoint=${one}`,
    `from=${from}&to=${to}`,
    `worker=${worker}`,
    "worker=nobody",
    "version=3",
    error,
    "error=no%20such%20error",
    "id=0",
    "id=zzzz",
    `tag=${TAGS.common}`,
    `tag=${TAGS.rare}`,
    "tag=nobody",
    "minDuration=1",
    "minDuration=1h",
    `state=FAILED&${error}`,
    `state=FAILED&tag=${TAGS.rare}`,
    "state=TIMED_OUT&tag=nobody",
    `state=COMPLETED&minDuration=1h`,
    `endpoint=${one}&state=FAILED`,
    `endpoint=${one}&${error}`,
    `endpoint=${one}&tag=nobody`,
    `${error}&from=${from}&to=${to}`,
    `${error}&tag=${TAGS.rare}`,
    "error=no%20such%20error&tag=nobody",
    `tag=${TAGS.rare}&minDuration=1h`,
    `worker=${worker}&minDuration=1h`,
  ];
}

function nameOf(query: string): string {
  const parameters = decodeURIComponent(query)
    .replaceAll(/(from|to)=\d+/g, "$1")
    .replaceAll(/(endpoint)=\w+/g, "$1");
  return query === "" ? "no filter" : parameters.replaceAll("&", ", ");
}

/** CPU of all servers for the load, µs for each ms. */
async function loadAlone(past: PastJobs, ms: number): Promise<number> {
  const [startedAt, before] = [performance.now(), cpuOf(past)];
  await Bun.sleep(ms);
  return (cpuOf(past) - before) / (performance.now() - startedAt);
}

async function called(past: PastJobs, query: string, calls: number, alone: number): Promise<Figures> {
  const url = `http://127.0.0.1:${past.forebay.port}/v1/jobs?${query}`;
  const waits: number[] = [];
  let jobs = 0;
  const [startedAt, before] = [performance.now(), cpuOf(past)];
  while (waits.length < calls) {
    const from = performance.now();
    const response = await fetch(url, { headers: { authorization: KEY } });
    const text = await response.text();
    if (response.status === 429) {
      await Bun.sleep(500);
      continue;
    }
    if (!response.ok) throw new Error(text);
    waits.push(performance.now() - from);
    const answer = JSON.parse(text) as { jobs: readonly unknown[] };
    jobs = answer.jobs.length;
  }
  const cpu = (cpuOf(past) - before - alone * (performance.now() - startedAt)) / calls / 1_000;
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(calls - 1, Math.floor(calls * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1), cpu, jobs };
}

function cpuOf({ servers }: PastJobs): number {
  return servers.reduce((sum, server) => sum + server.cpu(), 0);
}
