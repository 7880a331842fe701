import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type ForebayUnderTest, startForebayUnderTest } from "./forebay.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/large-bodies.ts`: what large bodies do to the others. Small submissions at a steady
// rate, alone and beside jobs of 20 MB, one after the other; then 400 runsync of 1 MB at a time. With
// `chrt --rr 1` before it the server and who measures never wait for a core, however busy the machine is:
// what is left is what the server itself takes, and its disk.
const SMALL_CALLS = 1_500;
/** Between two small calls, ms. They do not wait for each other: a stall is seen by all that fall into it. */
const EVERY = 5;
const SECONDS = 12;

console.log("| small submissions | p50, ms | p99, ms | worst, ms |\n|---|---|---|---|");
for (const kind of ["", "string", "arrays"]) await besideLarge(kind);
await wide(400);

async function besideLarge(kind: string): Promise<void> {
  const forebay = await startForebayUnderTest();
  const small = await startForebayEndpoint(forebay);
  const large = kind === "" ? undefined : loadOf(forebay, "large-jobs.ts", kind, String(SECONDS));
  await large?.line("ready");
  await smallCalls(forebay, small, SMALL_CALLS / 5);
  const waits = (await smallCalls(forebay, small, SMALL_CALLS)).toSorted((a, b) => a - b);
  const jobs = await large?.line("jobs");
  const at = (share: number): string =>
    (waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0).toFixed(1);
  const name = jobs === undefined ? "alone" : `beside 20 MB, ${kind} (${jobs} in ${SECONDS} s)`;
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`);
  await large?.stop();
  await forebay.server.stop();
  await forebay.clean();
}

async function wide(count: number): Promise<void> {
  const forebay = await startForebayUnderTest();
  for (let round = 1; round <= 3; round++) {
    const load = loadOf(forebay, "wide-jobs.ts", String(count));
    const completed = await load.line("completed");
    const memory = forebay.server.peakMemory().toFixed(0);
    console.log(
      `${count} runsync of 1 MB at a time, round ${round}: ${completed}; at most ${memory} MB so far`,
    );
    await load.stop();
  }
  await pause(10_000);
  console.log(`10 s later: ${forebay.server.memory().toFixed(0)} MB`);
  await forebay.server.stop();
  await forebay.clean();
}

function loadOf(forebay: ForebayUnderTest, script: string, ...args: string[]): MeasuredProcess {
  const { port, endpoint, key, workerEnv } = forebay;
  const token = workerEnv["RUNPOD_AI_API_KEY"] ?? "";
  const file = join(import.meta.dir, "load", script);
  // Calls that wait must not keep out those of the workers.
  const env = { BUN_CONFIG_MAX_HTTP_REQUESTS: "2000" };
  // The load is ordinary in any case.
  const command = ["chrt", "--other", "0", process.execPath, file];
  return new MeasuredProcess([...command, String(port), endpoint, key, token, ...args], env);
}

/** An endpoint for the small jobs, which no worker of the large ones gets. */
async function startForebayEndpoint({ port, key }: ForebayUnderTest): Promise<string> {
  const headers = { authorization: key, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ name: "small" }) };
  const response = await fetch(`http://127.0.0.1:${port}/v1/endpoints`, init);
  return /"id":"([^"]+)"/.exec(await response.text())?.[1] ?? "";
}

async function smallCalls(
  { port, key }: ForebayUnderTest,
  endpoint: string,
  count: number,
): Promise<number[]> {
  const headers = { authorization: key, "content-type": "application/json" };
  const body = JSON.stringify({ input: { prompt: "x".repeat(270) } });
  const calls: Promise<number>[] = [];
  const one = async (): Promise<number> => {
    const startedAt = performance.now();
    const url = `http://127.0.0.1:${port}/v2/${endpoint}/run`;
    await (await fetch(url, { method: "POST", headers, body })).text();
    return performance.now() - startedAt;
  };
  for (let sent = 0; sent < count; sent++) {
    calls.push(one());
    await pause(EVERY);
  }
  return Promise.all(calls);
}
