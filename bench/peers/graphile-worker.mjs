// Runs no-op jobs from a local queue, completes them in batches, and stores their results before that.
import { Logger, run } from "graphile-worker";
import pg from "pg";
import { openResults } from "./results-table.mjs";

const [url, concurrentJobs, size] = process.argv.slice(2);
const pgPool = new pg.Pool({ connectionString: url, max: 24 });
pgPool.on("error", () => {});
const results = await openResults(pgPool);
const output = { text: "y".repeat(100) };
const worker = {
  concurrentJobs: Number(concurrentJobs),
  pollInterval: 500,
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
  localQueue: { size: Number(size), refetchDelay: { durationMs: 10, threshold: 50 } },
};
await run({
  pgPool,
  logger: new Logger(() => () => {}),
  taskList: { job: (_payload, { job }) => results.add(job.id, output) },
  preset: { worker },
});
console.log("ready");
