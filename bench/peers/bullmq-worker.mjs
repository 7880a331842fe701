// Runs no-op jobs: `bullmq-worker.mjs STORE CONCURRENCY [MILESTONES]`. It prints `ran N` for each milestone.
import { Worker } from "bullmq";
import { backendOf } from "./bullmq-backend.mjs";

const [store, concurrency, milestones = ""] = process.argv.slice(2);
const { connection, backend } = backendOf(store, 32);
const announced = new Set(milestones.split(",").map(Number));
const output = { text: "y".repeat(100) };
let ran = 0;
const options = { connection, concurrency: Number(concurrency) };
const worker = new Worker("bench", async () => output, options, ...backend);
worker.on("completed", () => {
  if (announced.has(++ran)) console.log(`ran ${ran}`);
});
await worker.waitUntilReady();
console.log("ready");
