import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPublicWorkers } from "./contestants/forebay.ts";
import { type ForebayUnderTest, restartForebay, startForebayUnderTest } from "./forebay-server.ts";
import { startClient } from "./load-client.ts";

// `node bin/bun.mjs bench/forgetting.ts --forgotten 1000000`: what it does to the waits of a steady load that
// the results of so many jobs are forgotten at the same time, and what the files are once that is over. The
// results fall due in waves; the load runs before each wave and again within it, so that each pair of rounds
// has the same neighbours on the machine.
const { values } = parseArgs({
  options: {
    forgotten: { type: "string", default: "1000000" },
    jobs: { type: "string", default: "15000" },
    waves: { type: "string", default: "8" },
    /** From one wave to the next, s: both rounds must fit. */
    apart: { type: "string", default: "60" },
  },
});
const forgotten = Number(values.forgotten);
const jobs = Number(values.jobs);
const waves = Number(values.waves);
const apart = Number(values.apart) * 1_000;
const MB = 1_048_576;
const DAY = 86_400_000;

const directory = await mkdtemp(join(tmpdir(), "forebay-forgetting-"));
const data = join(directory, "data");
const path = join(data, "forebay.db");
const settings = { data, "run-retention-ms": String(DAY) };

const first = await startForebayUnderTest(settings);
await stop(first);
const begin = Date.now() + 5_000;
fill(first.endpoint);
const server = restartForebay({ ...settings, port: String(first.port) });
await server.line("forebay ready on");
const before = sizesNow();

console.log(
  "| wave | p50 before, ms | p50 within, ms | ratio | p99 before, ms | p99 within, ms | ratio | left of it |",
);
console.log("|---|---|---|---|---|---|---|---|");
const ratios: { p50: number; p99: number }[] = [];
for (let wave = 1; wave <= waves; wave++) {
  await reached(begin + wave * apart - apart / 2);
  const calm = await round();
  if (Date.now() > begin + wave * apart)
    throw new Error("the rounds do not fit: more --apart, or fewer --jobs");
  await reached(begin + wave * apart);
  const within = await round();
  const ratio = { p50: within.p50 / calm.p50, p99: within.p99 / calm.p99 };
  ratios.push(ratio);
  const left = count() - ((waves - wave) * forgotten) / waves;
  const cells = [calm.p50, within.p50, ratio.p50, calm.p99, within.p99, ratio.p99].map((n) => n.toFixed(2));
  console.log(`| ${wave} | ${cells.join(" | ")} | ${left} |`);
}
const median = (key: "p50" | "p99"): string => {
  const sorted = ratios.map((one) => one[key]).toSorted((a, b) => a - b);
  return sorted[waves >> 1]?.toFixed(2) ?? "";
};
console.log(`medians: p50 × ${median("p50")}, p99 × ${median("p99")}`);

const endedAt = performance.now();
for (let last = ""; count() > 0 || last !== sizesNow();) {
  last = sizesNow();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
}
const seconds = ((performance.now() - endedAt) / 1_000).toFixed(0);
console.log(`database and log: ${before} MB before, ${sizesNow()} MB ${seconds} s after the last wave`);
await server.stop();
await rm(directory, { recursive: true });

async function round(): Promise<{ p50: number; p99: number }> {
  const [waits] = await Promise.all([submit(first), work(first)]);
  return waits;
}

function reached(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
}

async function stop({ server, clean }: ForebayUnderTest): Promise<void> {
  await server.stop();
  await clean();
}

/** 64 clients submit as many jobs. */
async function submit({ port, endpoint, key }: ForebayUnderTest): Promise<{ p50: number; p99: number }> {
  const client = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
  const waits = await client.submit(jobs);
  await client.stop();
  return waits;
}

/** 64 workers run as many jobs. */
async function work(forebay: ForebayUnderTest): Promise<void> {
  const workers = startPublicWorkers(forebay, [jobs]);
  await workers.line(`ran ${jobs}`, 600_000);
  await workers.stop();
}

/** Jobs that ended, with 300 bytes each of input and output. The server must be stopped. */
function fill(endpoint: string): void {
  const database = new Database(path);
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO job (endpoint, id, state, position, worker, attempt, queued_at, taken_at, ended_at, ttl,
                      expires_at, execution_timeout, retention, due_at, low_priority, bytes, beside, body,
                      output)
     SELECT ?1, 'old-' || printf('%09d', i), 'COMPLETED', i, 'worker', 1, ?3, ?3, ?3, ${DAY}, ?3 + ${DAY},
            600000, ${DAY}, ?3 + (1 + (i - 1) * ?4 / ?2) * ?5, 0, 300, 0, zeroblob(300), zeroblob(300)
     FROM n`,
    [endpoint, forgotten, begin, waves, apart],
  );
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function count(): number {
  const database = new Database(path, { readonly: true });
  const row = database
    .query<{ left: number }, []>("SELECT count(*) AS left FROM job WHERE id LIKE 'old-%'")
    .get();
  database.close();
  return row?.left ?? 0;
}

function sizesNow(): string {
  const size = (file: string) => ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MB).toFixed(0);
  return `${size(path)} + ${size(`${path}-wal`)}`;
}
