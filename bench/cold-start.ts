import { join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { loadConfig } from "../src/config.ts";
import { DEFAULT_ACCOUNT } from "../src/domain/account.ts";
import { TEMPLATE_DEFAULTS } from "../src/domain/template.ts";
import { scaleDuty } from "../src/duties/scale.ts";
import { createEndpoint } from "../src/engine/records/endpoints.ts";
import { createTemplate } from "../src/engine/records/templates.ts";
import { startForebay } from "../src/main.ts";

// `node bin/bun.mjs bench/cold-start.ts`: from the commit of a job for which there is no worker until its
// handler begins in a process that was started for it.
const JOBS = 30;
const KEY = "bench-key-0123456789";
const worker = join(import.meta.dir, "load/cold-worker.mjs");

console.log(
  "| cold process | decide, p50 / p99 ms | start | first call | run | together |\n|---|---|---|---|---|---|",
);
const parts = await measure();
console.log(`| Bun | ${parts.map((part) => `${at(part, 0.5)} / ${at(part, 0.99)}`).join(" | ")} |`);

/** The times of each part, ms. */
async function measure(): Promise<number[][]> {
  const data = await mkdtemp(join(tmpdir(), "forebay-cold-"));
  const config = loadConfig({ data, port: "0", demo: "false", "admin-key": KEY }, {});
  const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
  const forebay = await startForebay(config, quiet, undefined, {
    processes: {
      commands: new Map([["cold", [process.execPath, worker]]]),
      operatorEnvironment: process.env,
    },
    duty: scaleDuty,
  });
  const { engine, url } = forebay;
  const fields = { ...TEMPLATE_DEFAULTS, name: "cold", imageName: "process/cold" };
  const { id: templateId } = await createTemplate(engine, DEFAULT_ACCOUNT.id, fields);
  const commits = new Map<string, number>();
  engine.observers.add(({ event, endpoint }) => {
    if (event === "enqueue") commits.set(endpoint, engine.clock.now());
  });
  const parts: number[][] = [[], [], [], [], []];
  for (let job = 0; job < JOBS; job++) {
    const made = await createEndpoint(engine, DEFAULT_ACCOUNT.id, {
      name: `cold ${job}`,
      templateId,
      workersMax: 1,
    });
    const wallClock = Date.now() - engine.clock.now();
    const response = await fetch(`${url}/v2/${made.id}/runsync`, {
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json" },
      body: '{"input":{}}',
    });
    const { output } = (await response.json()) as { readonly output: number };
    const started = [...engine.managed.values()].find(({ endpoint }) => endpoint === made.id);
    const { orderedAt = Number.NaN, runsSince = Number.NaN } = started ?? {};
    const committedAt = commits.get(made.id) ?? Number.NaN;
    const calledAt = orderedAt + (engine.coldStarts.get(made.id) ?? Number.NaN);
    const begunAt = output - wallClock;
    const times = [committedAt, orderedAt, runsSince, calledAt, begunAt];
    times.slice(1).forEach((time, index) => parts[index]?.push(time - (times[index] ?? Number.NaN)));
    parts[4]?.push(begunAt - committedAt);
    await engine.store.apply([{ step: "remove", kind: "endpoint", id: made.id }], engine.clock.now());
  }
  await forebay.stop();
  await rm(data, { recursive: true });
  return parts;
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
