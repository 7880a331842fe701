// Submits jobs one at a time to a worker of this same process that has nothing to do, and prints how long it
// took from each submission until the handler began: one clock for both ends.
import { setTimeout as pause } from "node:timers/promises";
import { start } from "@forebay/worker";

const [url = "", key = "", jobCount = ""] = process.argv.slice(2);
const jobs = Number(jobCount);
/** Until the worker has delivered its result and waits again, ms. */
const IDLE = 10;

let begun = () => {};
void start({
  handler: () => {
    begun();
    return "done";
  },
});

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const body = JSON.stringify({ input: { prompt: "x".repeat(270) } });
const waits = [];
for (let job = 0; job < jobs; job++) {
  await pause(IDLE);
  const submittedAt = performance.now();
  const hasBegun = new Promise((resolve) => {
    begun = () => resolve(performance.now());
  });
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
  waits.push((await hasBegun) - submittedAt);
}
waits.sort((a, b) => a - b);
const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));
process.exit(0);
