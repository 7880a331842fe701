import { openPostgresQueue } from "./postgres-queue.ts";

// `node bin/bun.mjs bench/postgres-depth.ts`: whole jobs a second of the store on PostgreSQL alone, with more
// and more jobs waiting, and what each costs the database.
const DEPTHS = [1_000, 100_000, 1_000_000];
const JOBS = 20_000;

await using queue = await openPostgresQueue();
await queue.wholeJobs(5_000);
console.log("| waiting | jobs/s | CPU/job of the database, µs | bytes of each row, with indexes |");
console.log("|---|---|---|---|");
for (const depth of DEPTHS) {
  await queue.fillUpTo(depth + JOBS);
  const before = queue.postgres.cpu();
  const rate = await queue.wholeJobs(JOBS);
  const cpu = (queue.postgres.cpu() - before) / JOBS;
  const { bytes } = await queue.row<{ bytes: number }>(
    "SELECT pg_total_relation_size('forebay.job')::float8 / count(*) AS bytes FROM forebay.job",
  );
  console.log(`| ${depth} | ${rate.toFixed(0)} | ${cpu.toFixed(0)} | ${bytes.toFixed(0)} |`);
}
