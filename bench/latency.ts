import { join } from "node:path";
import { startForebayUnderTest } from "./forebay.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/latency.ts`: from the submission of a job until the handler of an idle worker
// begins, jobs one at a time, with both protocols of the worker library and on both runtimes.
const JOBS = 500;
const script = join(import.meta.dir, "load/start-latency.mjs");

console.log("| idle worker | p50, ms | p99, ms |\n|---|---|---|");
for (const [runtime, program] of [
  ["Bun", process.execPath],
  ["Node", "node"],
] as const) {
  for (const protocol of ["exchange", "public"]) {
    const { p50, p99 } = await measure(program, protocol);
    console.log(`| ${runtime}, ${protocol} protocol | ${p50.toFixed(2)} | ${p99.toFixed(2)} |`);
  }
}

async function measure(program: string, protocol: string): Promise<{ p50: number; p99: number }> {
  const { server, port, endpoint, key, workerEnv, clean } = await startForebayUnderTest();
  const url = `http://127.0.0.1:${port}/v2/${endpoint}/run`;
  const env = { ...workerEnv, FOREBAY_PROTOCOL: protocol };
  const load = new MeasuredProcess([program, script, url, key, String(JOBS)], env);
  try {
    return JSON.parse(await load.line("p50"));
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
  }
}
