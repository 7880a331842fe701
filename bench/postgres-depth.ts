import { tmpdir } from "node:os";
import { SQL } from "bun";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import type { Store } from "../src/store/store.ts";
import { queueOn, START } from "../test/contract/queue.ts";
import { stepsOf } from "../test/model/steps.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { storeOptions } from "../test/support/postgres-store-options.ts";

// `node bin/bun.mjs bench/postgres-depth.ts`: whole jobs a second of the store on PostgreSQL alone, with more
// and more jobs waiting. 64 submitters and 64 takers; each result is stored with the next hand-out.
const DEPTHS = [0, 1_000, 100_000, 1_000_000];
const JOBS = 20_000;
const AT_ONCE = 64;

const body = new TextEncoder().encode(JSON.stringify({ input: { text: "x".repeat(230) } }));
await using server = await startPostgres([], tmpdir());
const { url } = await server.lendDatabase();
const database = new SQL(url, { max: 1 });
const store = await openPostgresStore(storeOptions(url));
const { endpoint } = await queueOn(store);
/** Behind all that waits from the beginning. */
let position = 100_000_000;

await wholeJobs(5_000);
console.log("| waiting | jobs/s | bytes of each row, with indexes |\n|---|---|---|");
for (const depth of DEPTHS) {
  await fillUpTo(depth + JOBS);
  const rate = await wholeJobs(JOBS);
  console.log(`| ${depth} | ${rate.toFixed(0)} | ${(await bytesOfRow()).toFixed(0)} |`);
}
await store.close();
await database.close();

/** Jobs a second. */
async function wholeJobs(count: number): Promise<number> {
  const { enqueue } = stepsOf(endpoint);
  let submitted = 0;
  const progress = { finished: 0 };
  const startedAt = performance.now();
  const submitters = Array.from({ length: AT_ONCE }, async () => {
    while (submitted++ < count) await store.apply([enqueue(nextId(), position, { body })], START);
  });
  const workers = Array.from({ length: AT_ONCE }, (_, n) => work(store, `worker-${n}`, count, progress));
  await Promise.all([...submitters, ...workers]);
  return count / ((performance.now() - startedAt) / 1_000);
}

async function work(on: Store, worker: string, count: number, progress: { finished: number }): Promise<void> {
  const { take, finish } = stepsOf(endpoint);
  let held: readonly { readonly id: string; readonly attempt: number }[] = [];
  while (progress.finished < count) {
    const results = held.map(({ id, attempt }) => finish("complete", id, { worker, attempt, output: body }));
    const [taken] = await on.apply([take(worker), ...results], START);
    progress.finished += held.length;
    held = taken;
    if (taken.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** As ids are: in the order of time. */
function nextId(): string {
  return `01a1ff79-12d4-7000-a950-${(++position).toString(16).padStart(12, "0")}-u1`;
}

async function fillUpTo(waiting: number): Promise<void> {
  const there = (await store.counts(endpoint))?.queued ?? 0;
  const rows = Math.max(0, waiting - there);
  const first = position + 1;
  position += rows;
  await database.unsafe(
    `INSERT INTO forebay.job (endpoint, id, state, position, holder, queued_at, ttl, expires_at,
                              execution_timeout, retention, due_at, bytes, body)
     SELECT $1, '01a1ff79-12d4-7000-a950-' || lpad(to_hex(n), 12, '0') || '-u1', 'IN_QUEUE', n, '', $2, 1,
            $2 * 2, 600000, 60000, $2 * 2, length($3::bytea), $3
     FROM generate_series($4::bigint, $5::bigint) AS n`,
    [endpoint, START, body, first, position],
  );
  await database.unsafe(
    `UPDATE forebay.counter SET queued = queued + $1
     WHERE slot = (SELECT min(slot) FROM forebay.counter)`,
    [rows],
  );
  await database.unsafe("CHECKPOINT");
}

async function bytesOfRow(): Promise<number> {
  const [row] = await database.unsafe(
    "SELECT pg_total_relation_size('forebay.job')::float8 / count(*) AS bytes FROM forebay.job",
  );
  return Number(row?.bytes ?? 0);
}
