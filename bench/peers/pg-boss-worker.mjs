// Runs no-op jobs in batches, each with a result of its own, and fetches on as long as batches are full.
import { PgBoss } from "pg-boss";

const [url, batchSize, localConcurrency] = process.argv.slice(2);
const boss = new PgBoss({ connectionString: url, max: 16, schedule: false });
await boss.start();
const output = { text: "y".repeat(100) };
const options = {
  batchSize: Number(batchSize),
  localConcurrency: Number(localConcurrency),
  pollingIntervalSeconds: 0.5,
  burstWhenBatchFull: true,
  perJobResults: true,
};
await boss.work("bench", options, async (jobs) =>
  jobs.map(({ id }) => ({ id, status: "completed", output })),
);
console.log("ready");
