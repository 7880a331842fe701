// How long it takes from a submission until the handler of an idle worker begins. Client and worker share
// this process: one clock measures both ends. `start-latency.mjs URL KEY WARM_UP_JOBS JOBS` prints the waits.
import { setTimeout as pause } from "node:timers/promises";
import { start } from "./library.mjs";

const [url = "", key = "", warmUp = "", jobs = ""] = process.argv.slice(2);
const COLD = 20;
/** Until the worker has delivered its result and waits again, ms. */
const IDLE = 10;
const AT_ONCE = 16;

let began = () => {};
void start({
  concurrency: AT_ONCE,
  handler: () => {
    began();
    return "done";
  },
});

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const body = JSON.stringify({ input: { prompt: "x".repeat(270) } });

async function submit() {
  const response = await fetch(url, { method: "POST", headers, body });
  await response.text();
}

/** The waits of as many jobs, one at a time, in order of their length. */
async function waitsOf(count) {
  const waits = [];
  for (let job = 0; job < count; job++) {
    await pause(IDLE);
    const submittedAt = performance.now();
    const hasBegun = new Promise((resolve) => {
      began = () => resolve(performance.now());
    });
    await submit();
    waits.push((await hasBegun) - submittedAt);
  }
  return waits.sort((a, b) => a - b);
}

/** Submits as many jobs, several at a time, and waits until the last one has begun. */
async function run(count) {
  let left = count;
  let begun = 0;
  const haveBegun = new Promise((resolve) => {
    began = () => {
      if (++begun === count) resolve();
    };
  });
  const submitter = async () => {
    while (left-- > 0) await submit();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, submitter));
  if (count > 0) await haveBegun;
}

const cold = await waitsOf(COLD);
await run(Number(warmUp));
const waits = await waitsOf(Number(jobs));
const at = (share) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99), coldP50: cold[COLD >> 1] }));
process.exit(0);
