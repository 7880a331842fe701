// Runs no-op jobs with Forebay's own worker library: `sdk-worker.mjs MILESTONES [CONCURRENCY]`. It prints
// `ran N` for each milestone, and stays until it is killed, so that its CPU time can be read.
import { start } from "./library.mjs";

const [milestones = "", concurrency = "64"] = process.argv.slice(2);
const announced = new Set(milestones.split(",").map(Number));
const output = { text: "y".repeat(100) };
let ran = 0;
console.log("ready");
await start({
  concurrency: Number(concurrency),
  handler: async () => {
    if (announced.has(++ran)) console.log(`ran ${ran}`);
    return output;
  },
});
