// How many small chunks a second travel from one stream of a worker of our own library, over the exchange,
// until they are stored: `node bin/bun.mjs bench/chunks.ts [chunks]`.
import { join } from "node:path";
import { startForebayUnderTest } from "./forebay-server.ts";
import { MeasuredProcess } from "./measured-process.ts";

const chunks = Number(process.argv[2] ?? 100_000);
const forebay = await startForebayUnderTest();
const base = `http://127.0.0.1:${forebay.port}/v2/${forebay.endpoint}`;
const headers = { authorization: forebay.key, "content-type": "application/json" };

for (const runtime of ["Node", "Bun"]) {
  const program = runtime === "Bun" ? process.execPath : "node";
  const script = join(import.meta.dir, "load/chunk-worker.mjs");
  const worker = new MeasuredProcess([program, script], forebay.workerEnv);
  await worker.line("ready");
  const startedAt = performance.now();
  const cpuBefore = [forebay.server.cpu(), worker.cpu()];
  const body = JSON.stringify({ input: { chunks } });
  const submitted = await fetch(`${base}/runsync`, { method: "POST", headers, body });
  const { id, status } = (await submitted.json()) as { id: string; status: string };
  const seconds = (performance.now() - startedAt) / 1_000;
  if (status !== "COMPLETED") throw new Error(`the job is ${status} after ${seconds} s`);
  const [serverCpu, workerCpu] = [forebay.server, worker].map(
    (process, index) => (process.cpu() - (cpuBefore[index] ?? 0)) / chunks,
  );
  await readAll(id);
  console.log(
    `${runtime}: ${Math.round(chunks / seconds)} chunks/s, CPU per chunk ` +
      `${serverCpu?.toFixed(1)} µs of the server, ${workerCpu?.toFixed(1)} µs of the worker`,
  );
  await worker.stop();
}
await forebay.server.stop();
await forebay.clean();

/** Fails when a chunk is lost or out of its order. */
async function readAll(id: string): Promise<void> {
  let next = 0;
  while (next < chunks) {
    const response = await fetch(`${base}/stream/${id}?from=${next}`, { headers });
    const page = (await response.json()) as { output: { n: number } }[];
    for (const { output } of page) {
      if (output.n !== next) throw new Error(`chunk ${next} is ${output.n}`);
      next++;
    }
    if (page.length === 0) throw new Error(`chunks end at ${next}`);
  }
}
