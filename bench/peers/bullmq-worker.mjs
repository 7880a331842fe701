// Runs no-op jobs and says when as many as it was told of are done.
import { Worker } from "bullmq";
import { backendOf } from "./bullmq-backend.mjs";

const [store, concurrency, jobs] = process.argv.slice(2);
const { connection, backend } = backendOf(store, 32);
const output = { text: "y".repeat(100) };
let done = 0;
const options = { connection, concurrency: Number(concurrency) };
const worker = new Worker("bench", async () => output, options, ...backend);
worker.on("completed", () => {
  if (++done === Number(jobs)) console.log("done");
});
await worker.waitUntilReady();
console.log("ready");
