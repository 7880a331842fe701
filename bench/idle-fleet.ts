import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startForebayUnderTest } from "./forebay-server.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/idle-fleet.ts`: what a server uses with 1,000 endpoints and 2,000 workers that wait
// for jobs which never come, with both protocols; with a shared token the public worker sends no pings.
const ENDPOINTS = 1_000;
const WORKERS_EACH = 2;

console.log(
  "| 1,000 endpoints, 2,000 workers | calls a second | CPU of a core | memory, MB |\n|---|---|---|---|",
);
for (const protocol of ["none", "exchange", "public", "public, shared token"]) {
  const { rate, share, memory } = await measure(protocol);
  console.log(`| ${protocol} | ${rate.toFixed(0)} | ${(share * 100).toFixed(1)} % | ${memory.toFixed(0)} |`);
}

async function measure(protocol: string) {
  const { server, port, key, clean } = await startForebayUnderTest();
  const directory = await mkdtemp(join(tmpdir(), "forebay-idle-"));
  const workers: object[] = [];
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    for (;;) {
      const headers = { authorization: key, "content-type": "application/json" };
      const url = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      if (response.ok) return (await response.json()) as Record<string, string>;
      if (response.status !== 429) throw new Error(await response.text());
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  for (let number = 0; number < ENDPOINTS; number++) {
    const { id = "" } = await post("/v1/endpoints", { name: `idle ${number}` });
    const base = `http://127.0.0.1:${port}/v2/${id}`;
    for (let count = 0; count < WORKERS_EACH; count++) {
      const many = protocol.includes("shared");
      const { env, workerId: worker = "" } = await post(`/v1/endpoints/${id}/workers`, { many });
      workers.push({ base, worker, token: String(Object(env)["RUNPOD_AI_API_KEY"]) });
    }
  }
  const file = join(directory, "workers.json");
  await writeFile(file, JSON.stringify(protocol === "none" ? [] : workers));
  const script = join(import.meta.dir, "load/idle-workers.ts");
  // Its own limit of connections would be reached first.
  const env = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65000" };
  const load = new MeasuredProcess([process.execPath, script, file, protocol], env);
  try {
    await load.line("begin");
    const [before, startedAt] = [server.cpu(), performance.now()];
    const end = await load.line("end");
    const [used, took] = [server.cpu() - before, performance.now() - startedAt];
    const calls = /^end: (\d+) calls, 0 refused$/.exec(end)?.[1];
    if (calls === undefined) throw new Error(end);
    return { rate: (Number(calls) / took) * 1_000, share: used / 1_000 / took, memory: server.memory() };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
    await rm(directory, { recursive: true });
  }
}
