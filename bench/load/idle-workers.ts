// Workers of many endpoints that wait for jobs which never come: `idle-workers.ts FILE PROTOCOL WARM_UP
// MEASURED`, the times in seconds. The file has one {"base", "worker", "token"} for each; all begin within
// one ping interval, evenly.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

interface IdleWorker {
  readonly base: string;
  readonly worker: string;
  readonly token: string;
}

const [file = "", protocol = "exchange", warmUp = "", measured = ""] = process.argv.slice(2);
const isShared = protocol.includes("shared");
const workers: IdleWorker[] = JSON.parse(readFileSync(file, "utf8"));

/** As workers are told, ms. */
const PING = 3_000;

let calls = 0;
let refused = 0;

async function call({ base, worker, token }: IdleWorker, path: string, body?: object): Promise<void> {
  calls++;
  const response = await fetch(`${base}/${path.replace("$ID", worker)}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) refused++;
  await response.arrayBuffer();
}

async function again(action: () => Promise<void>): Promise<never> {
  for (;;) await action();
}

/** The public worker asks again after a second, or at once after an answer with ids, as shared tokens get. */
async function askForStops(worker: IdleWorker): Promise<void> {
  await call(worker, "job-stop/$ID?");
  if (!isShared) await pause(1_000);
}

async function ping(worker: IdleWorker): Promise<void> {
  await Promise.all([call(worker, "ping/$ID?gpu=x"), pause(PING)]);
}

for (const worker of workers) {
  if (protocol === "exchange") void again(() => call(worker, "exchange/$ID", { take: 1, wait: PING }));
  else {
    void again(() => call(worker, "job-take/$ID?job_in_progress=0"));
    void again(() => askForStops(worker));
    if (!isShared) void again(() => ping(worker));
  }
  await pause(PING / workers.length);
}
await pause(Number(warmUp) * 1_000);
console.log("begin");
calls = 0;
await pause(Number(measured) * 1_000);
console.log(`end: ${calls} calls, ${refused} refused`);
