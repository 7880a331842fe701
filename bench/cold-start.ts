import { existsSync } from "node:fs";
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
import { record, type Recorder } from "../test/docker/recorder.ts";
import { DockerHost } from "../test/support/docker-host.ts";
import { importTypeScriptImage } from "../test/support/worker-images.ts";

// `node bin/bun.mjs bench/cold-start.ts`: from the commit of a job for which there is no worker until its
// handler begins in a process that was started for it; where there is a Docker Engine, as root, also in a
// container, of which what the engine itself takes until it is told to start it is shown apart.
const JOBS = 30;
const KEY = "bench-key-0123456789";
const WORKER = "bench/load/cold-worker.mjs";
const IMAGE = "team/cold:1";

const COLUMNS = ["decide", "start", "first call", "run", "together", "ours until the start call"];
console.log(`| cold, p50 / p99 ms | ${COLUMNS.join(" | ")} |`);
console.log(`|${"---|".repeat(COLUMNS.length + 1)}`);
print("process", await measure("process/cold", {}));
if (existsSync("/usr/sbin/dockerd") && process.getuid?.() === 0) {
  await using end = new AsyncDisposableStack();
  const host = end.adopt(await DockerHost.start(), (started) => started.stop());
  await importTypeScriptImage(host, IMAGE, WORKER);
  const recorder = end.use(await record(host.socket));
  const flags = { "docker-host": `unix://${recorder.socket}`, "docker-network": "host" };
  print("container", await measure(IMAGE, flags, recorder));
}

function print(kind: string, parts: readonly number[][]): void {
  console.log(`| ${kind} | ${parts.map((part) => `${at(part, 0.5)} / ${at(part, 0.99)}`).join(" | ")} |`);
}

/** The times of each part, ms. */
async function measure(
  imageName: string,
  flags: Readonly<Record<string, string>>,
  recorder?: Recorder,
): Promise<number[][]> {
  const data = await mkdtemp(join(tmpdir(), "forebay-cold-"));
  const config = loadConfig({ data, port: "0", demo: "false", "admin-key": KEY, ...flags }, {});
  const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
  const forebay = await startForebay(config, quiet, undefined, {
    processes: {
      commands: new Map([["cold", [process.execPath, join(import.meta.dir, "..", WORKER)]]]),
      operatorEnvironment: process.env,
    },
    duty: scaleDuty,
  });
  const { engine, url } = forebay;
  const fields = { ...TEMPLATE_DEFAULTS, name: "cold", imageName, volumeInGb: 0 };
  const { id: templateId } = await createTemplate(engine, DEFAULT_ACCOUNT.id, fields);
  const commits = new Map<string, number>();
  engine.observers.add(({ event, endpoint }) => {
    if (event === "enqueue") commits.set(endpoint, engine.clock.now());
  });
  const parts: number[][] = [[], [], [], [], [], []];
  for (let job = 0; job < JOBS; job++) {
    const made = await createEndpoint(engine, DEFAULT_ACCOUNT.id, {
      name: `cold ${job}`,
      templateId,
      workersMax: 1,
    });
    const wallClock = Date.now() - engine.clock.now();
    const callsBefore = recorder?.calls.length ?? 0;
    const response = await fetch(`${url}/v2/${made.id}/runsync`, {
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json" },
      body: '{"input":{}}',
    });
    const { output } = (await response.json()) as { readonly output: number };
    const [worker = "", started] =
      [...engine.fleet.managed].find(([, { endpoint }]) => endpoint === made.id) ?? [];
    const { orderedAt = Number.NaN, runsSince = Number.NaN } = started ?? {};
    const committedAt = commits.get(made.id) ?? Number.NaN;
    const calledAt = orderedAt + (engine.fleet.coldStarts.get(made.id) ?? Number.NaN);
    const begunAt = output - wallClock;
    const times = [committedAt, orderedAt, runsSince, calledAt, begunAt];
    times.slice(1).forEach((time, index) => parts[index]?.push(time - (times[index] ?? Number.NaN)));
    parts[4]?.push(begunAt - committedAt);
    // A process is started by one call, which is ours.
    const calls = recorder?.calls.slice(callsBefore) ?? [];
    const startCall = calls.find(({ path }) => path.endsWith("/start"))?.askedAt ?? runsSince + wallClock;
    const ofEngine = calls
      .filter(({ askedAt, path }) => askedAt < startCall && (path.includes(worker) || /images/.test(path)))
      .reduce((sum, { askedAt, answeredAt = askedAt }) => sum + answeredAt - askedAt, 0);
    parts[5]?.push(startCall - wallClock - committedAt - ofEngine);
    await engine.store.apply([{ step: "remove", kind: "endpoint", id: made.id }], engine.clock.now());
  }
  await forebay.stop();
  await rm(data, { recursive: true });
  return parts;
}

function at(times: readonly number[], share: number): number {
  // The engine can say that a container runs after its job is done.
  const sorted = times.filter((time) => !Number.isNaN(time)).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
