import { loadavg, tmpdir } from "node:os";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { spawnSync } from "node:child_process";
import { forebayServers } from "./forebay-servers.ts";
import { libraryPeer } from "./library-peer.ts";
import { measureRoundTrip, type RoundTrip, type RoundTripFigures } from "./round-trip.ts";

// `node bin/bun.mjs bench/postgres-peers.ts`: whole jobs a second of queues on PostgreSQL, side by side. Each
// job is submitted by a call of its own, 64 at a time, run, and its result read back; every contestant runs
// once in each round, on a database of its own with the settings of the package; the table has the medians.
const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "20000" },
    rounds: { type: "string", default: "5" },
    // only contestants whose names have this in them
    only: { type: "string", default: "" },
    // the file pgmq-extension/sql/pgmq.sql of pgmq/pgmq, which then takes part
    pgmq: { type: "string", default: "" },
  },
});
const jobs = Number(values.jobs);
const rounds = Number(values.rounds);

const peer = (script: string): string => join(import.meta.dir, "peers", script);
const built = await mkdtemp(join(tmpdir(), "river-bench-"));
const river = join(built, "river");
const contestants = [
  ...[1, 2, 4].map(forebayServers),
  libraryPeer({
    name: "pg-boss",
    front: ["node", peer("pg-boss-front.mjs"), "PORT", "STORE"],
    worker: ["node", peer("pg-boss-worker.mjs"), "STORE", "100", "2"],
    store: "PostgreSQL",
  }),
  libraryPeer({
    name: "graphile-worker",
    front: ["node", peer("graphile-front.mjs"), "PORT", "STORE"],
    worker: ["node", peer("graphile-worker.mjs"), "STORE", "64", "500"],
    store: "PostgreSQL",
  }),
  libraryPeer({
    name: "BullMQ on PostgreSQL",
    front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE", "keep"],
    worker: ["node", peer("bullmq-worker.mjs"), "STORE", "32", "0"],
    store: "PostgreSQL",
  }),
  libraryPeer({
    name: "BullMQ on Redis",
    front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE", "keep"],
    worker: ["node", peer("bullmq-worker.mjs"), "STORE", "32", "0"],
    store: "Redis",
  }),
  ...pgmqIfGiven(),
  ...riverIfItBuilds(),
].filter(({ name }) => name.includes(values.only));

const figures = new Map<string, RoundTripFigures[]>(contestants.map(({ name }) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const contestant of contestants) {
    const measured = await measureRoundTrip(contestant, jobs);
    figures.get(contestant.name)?.push(measured);
    const load = loadavg()[0]?.toFixed(1);
    console.error(`round ${round}: ${contestant.name}: ${JSON.stringify(measured, rounded)}, load ${load}`);
  }
}
console.log(table());
await rm(built, { recursive: true });

/** Written in Go: only where its compiler is installed. */
function riverIfItBuilds(): RoundTrip[] {
  const { status } = spawnSync("go", ["build", "-o", river, "."], { cwd: peer("river"), stdio: "inherit" });
  if (status !== 0) {
    console.error("River does not take part: go could not build bench/peers/river");
    return [];
  }
  const front = [river, "front", "PORT", "STORE"];
  return [
    libraryPeer({ name: "River", front, worker: [river, "worker", "STORE", "500"], store: "PostgreSQL" }),
  ];
}

function pgmqIfGiven(): RoundTrip[] {
  if (values.pgmq === "") return [];
  const front = ["node", peer("pgmq-front.mjs"), "PORT", "STORE", values.pgmq];
  const worker = ["node", peer("pgmq-worker.mjs"), "STORE", "100", "2"];
  return [libraryPeer({ name: "pgmq", front, worker, store: "PostgreSQL" })];
}

function table(): string {
  const onPostgres = contestants.filter(({ name }) => !/Forebay|Redis/.test(name));
  const best = Math.max(...onPostgres.map(({ name }) => median(name, "jobsPerSecond")));
  const rows = contestants.map(({ name }) => {
    const of = (key: keyof RoundTripFigures, digits = 0): string => median(name, key).toFixed(digits);
    const rates = (figures.get(name) ?? []).map(({ jobsPerSecond }) => jobsPerSecond);
    const spread = `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)}`;
    const ratio = (median(name, "jobsPerSecond") / best).toFixed(2);
    const cpu = (["serverCpu", "storeCpu", "workerCpu", "loadCpu"] as const).map((key) => of(key));
    const cells = [of("jobsPerSecond"), spread, ratio, ...cpu, of("memory"), of("p50", 1), of("p99", 1)];
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [
    "| | jobs/s | from, to | × best peer on PostgreSQL | CPU/job of server, µs | store | worker | load " +
      "| memory, MB | submit p50, ms | p99, ms |",
    `|${"---|".repeat(11)}`,
    ...rows,
  ].join("\n");
}

function median(name: string, key: keyof RoundTripFigures): number {
  const sorted = (figures.get(name) ?? []).map((one) => one[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 10) / 10 : value;
}
