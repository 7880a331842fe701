// Runs no-op jobs and says when as many as it was told of are done.
import { Worker } from "bullmq";

const [redisPort, concurrency, jobs] = process.argv.slice(2).map(Number);
const output = { text: "y".repeat(100) };
let done = 0;
const worker = new Worker("bench", async () => output, {
  connection: { host: "127.0.0.1", port: redisPort },
  concurrency,
});
worker.on("completed", () => {
  if (++done === jobs) console.log("done");
});
await worker.waitUntilReady();
console.log("ready");
