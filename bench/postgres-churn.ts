import { parseArgs } from "node:util";
import { forget } from "../test/model/forget.ts";
import { openPostgresQueue } from "./postgres-queue.ts";

// `node bin/bun.mjs bench/postgres-churn.ts --jobs 2000000`: whether the store on PostgreSQL gets slower, or
// its tables larger, with the jobs that have been through it. Results are kept for a second and forgotten as
// servers do it, and vacuum comes as it is set up; each row of the table is a tenth of the jobs.
const { values } = parseArgs({ options: { jobs: { type: "string", default: "2000000" } } });
const part = Math.ceil(Number(values.jobs) / 10);
const RETENTION = 1_000;
/** From one look for what is over to the next, and rows that one removes at most. */
const [PAUSE, LIMIT] = [50, 1_000];

interface State {
  readonly rows: number;
  readonly dead: number;
  readonly table: number;
  readonly indexes: number;
  readonly vacuums: number;
}

await using queue = await openPostgresQueue();
await queue.wholeJobs(5_000, Date.now, RETENTION);
const over = new AbortController();
const forgetting = forgetOn();
console.log(
  "| finished | jobs/s | CPU/job of the database, µs | rows | dead | table, MB | indexes | vacuums |",
);
console.log(`|${"---|".repeat(8)}`);
for (let finished = part; finished <= part * 10; finished += part) {
  const before = queue.postgres.cpu();
  const rate = await queue.wholeJobs(part, Date.now, RETENTION);
  const cpu = (queue.postgres.cpu() - before) / part;
  const state = await stateOf();
  const sizes = [state.table, state.indexes].map((bytes) => (bytes / 1_048_576).toFixed(0));
  const cells = [rate.toFixed(0), cpu.toFixed(0), state.rows, state.dead, ...sizes, state.vacuums];
  console.log(`| ${finished} | ${cells.join(" | ")} |`);
}
over.abort();
await forgetting;

async function forgetOn(): Promise<void> {
  while (!over.signal.aborted) {
    const [{ count }] = await queue.store.apply([forget(LIMIT)], Date.now());
    if (count < LIMIT) await Bun.sleep(PAUSE);
  }
}

function stateOf(): Promise<State> {
  return queue.row<State>(`
    SELECT (SELECT count(*)::float8 FROM forebay.job) AS rows, n_dead_tup::float8 AS dead,
           pg_table_size('forebay.job')::float8 AS table, pg_indexes_size('forebay.job')::float8 AS indexes,
           autovacuum_count::float8 AS vacuums
    FROM pg_stat_user_tables WHERE schemaname = 'forebay' AND relname = 'job'`);
}
