// A worker of the public protocol for tests, with plain fetch: two jobs at a time if JOBS is 2. What it does
// with a job, the job says; MODE makes the worker itself misbehave.
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

interface Job {
  readonly id: string;
  readonly input: {
    /** Runs this long, ms. */
    readonly sleep?: number;
    /** Then runs until this file is there. */
    readonly until?: string;
    /** Then runs until the worker is told to end. */
    readonly untilToldToEnd?: boolean;
    /** Goes on when it is told to stop. */
    readonly ignoresStop?: boolean;
    /** Wants to be replaced afterwards. */
    readonly refresh?: boolean;
    /** Ends without a result. */
    readonly exit?: number;
  };
}

const env = process.env;
if (env["MODE"] === "crash") {
  console.error("this worker cannot start");
  process.exit(3);
}

const id = env["RUNPOD_POD_ID"] ?? "";
const headers = { authorization: env["RUNPOD_AI_API_KEY"] ?? "", "content-type": "application/json" };
const running = new Map<string, AbortController>();
const isStopping = new AbortController();

process.on("SIGTERM", () => {
  console.log("told to end");
  if (env["MODE"] !== "deaf") isStopping.abort();
});
console.log("a worker starts");
setInterval(() => void ping(), Number(env["RUNPOD_PING_INTERVAL"]));
void stopLoop();
await Promise.all(Array.from({ length: Number(env["JOBS"] ?? 1) }, takeLoop));
process.exit(0);

async function takeLoop(): Promise<void> {
  while (!isStopping.signal.aborted) {
    const inProgress = running.size > 0 ? 1 : 0;
    const answer = await call(`${address("GET_JOB")}&job_in_progress=${inProgress}`, isStopping.signal);
    if (answer?.status === 200) await run(JSON.parse(await answer.text()));
    else if (answer?.status !== 204) await sleep(200);
  }
}

async function run(job: Job): Promise<void> {
  const { sleep: duration = 0, until, untilToldToEnd = false, ignoresStop = false } = job.input;
  const { refresh = false, exit } = job.input;
  if (exit !== undefined) process.exit(exit);
  const stopped = new AbortController();
  running.set(job.id, stopped);
  console.log(`runs ${job.id}`);
  const stop = ignoresStop ? undefined : stopped.signal;
  await sleep(duration, stop);
  const isOver = (): boolean =>
    (until === undefined || existsSync(until)) && (!untilToldToEnd || isStopping.signal.aborted);
  while (!isOver() && !stopped.signal.aborted) await sleep(10, stop);
  running.delete(job.id);
  // A handler that was stopped reports nothing (wire-facts 1.4).
  if (stopped.signal.aborted && !ignoresStop) return;
  const output = { worker: id, pid: process.pid, argv: process.argv.slice(2), cwd: process.cwd(), env };
  await post(`${address("POST_OUTPUT", job.id)}&isStream=false`, {
    output,
    ...(refresh ? { stopPod: true } : {}),
  });
}

async function stopLoop(): Promise<void> {
  for (;;) {
    const answer = await call(address("GET_JOB").replace("/job-take/", "/job-stop/"));
    const { jobsToStop = [] } = answer?.status === 200 ? JSON.parse(await answer.text()) : {};
    for (const job of jobsToStop) running.get(job)?.abort();
    if (jobsToStop.length === 0) await sleep(200);
  }
}

function ping(): Promise<Response | undefined> {
  const ids = encodeURIComponent([...running.keys()].join(","));
  return call(`${address("PING")}${running.size > 0 ? `&job_id=${ids}` : ""}`);
}

function address(name: string, job = id): string {
  const template = env[`RUNPOD_WEBHOOK_${name}`] ?? "";
  return template.replace("$RUNPOD_POD_ID", id).replace("$ID", job);
}

async function post(url: string, body: unknown): Promise<void> {
  await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Undefined when there is no server, or the worker no longer wants the answer. */
async function call(url: string, signal?: AbortSignal): Promise<Response | undefined> {
  try {
    return await fetch(url, { headers, ...(signal === undefined ? {} : { signal }) });
  } catch {
    return undefined;
  }
}

/** Ends early when it is told to. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
