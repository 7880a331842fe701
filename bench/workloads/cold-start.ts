import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "../../src/config/config.ts";
import { scaleJob } from "../../src/background/scale.ts";
import { startForebay } from "../../src/main.ts";
import { DockerHost } from "../../test/support/docker-host.ts";
import { importTypeScriptImage } from "../../test/support/worker-images.ts";
import { KEY } from "../forebay-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const PROCESS = "process";
const CONTAINER = "container, its image on the host";
const WORKER = "bench/load/cold-worker.mjs";
const IMAGE = "team/cold:1";
const JOBS = 30;

/** From the submission of a job without a worker until its handler begins. */
export const COLD_START: Workload = {
  id: "cold-start",
  title: "Cold starts",
  about:
    `${JOBS} jobs one after the other, each to an endpoint without a worker: from the submission until the ` +
    "handler begins in a worker of our library on Bun that was started for it. The server runs in the " +
    "process of the benchmark.",
  rounds: 1,
  minutes: 1,
  isExtra: true,
  columns: [
    { key: "p50", title: "p50, ms", digits: 0 },
    { key: "p99", title: "p99, ms", digits: 0 },
  ],
  goals: [
    figureGoal({ what: "Cold start of a process: p50, ms", row: PROCESS, key: "p50", digits: 0 }),
    figureGoal({ what: "Cold start of a container: p50, ms", row: CONTAINER, key: "p50", digits: 0 }),
  ],
  cases: async (scale): Promise<Case[]> => [
    {
      name: PROCESS,
      measure: async () => [{ name: PROCESS, figures: await measure("process/cold", {}, scale) }],
    },
    {
      name: CONTAINER,
      missing: () =>
        existsSync("/usr/sbin/dockerd") && process.getuid?.() === 0
          ? undefined
          : "it requires root and an installed Docker Engine",
      measure: async () => [{ name: CONTAINER, figures: await inContainer(scale) }],
    },
  ],
};

async function inContainer(scale: Scale): Promise<Figures> {
  await using end = new AsyncDisposableStack();
  const host = end.adopt(await DockerHost.start(), (started) => started.stop());
  await importTypeScriptImage(host, IMAGE, WORKER);
  const flags = { "docker-host": `unix://${host.socket}`, "docker-network": "host" };
  return await measure(IMAGE, flags, scale);
}

async function measure(
  imageName: string,
  flags: Readonly<Record<string, string>>,
  { isQuick }: Scale,
): Promise<Figures> {
  const directory = temporaryDirectory("forebay-cold-");
  const config = loadConfig(
    { data: join(directory, "data"), port: "0", demo: "false", "admin-key": KEY, ...flags },
    {},
  );
  const quiet = { info: () => undefined, warn: () => undefined, error: console.error };
  const forebay = await startForebay(config, quiet, undefined, {
    processes: {
      commands: new Map([["cold", [process.execPath, join(import.meta.dir, "../..", WORKER)]]]),
      operatorEnvironment: process.env,
    },
    scaling: scaleJob,
  });
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: KEY, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${forebay.url}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
  };
  const template = await call("POST", "/v1/templates", { name: "cold", imageName, volumeInGb: 0 });
  const times: number[] = [];
  for (let job = 0; job < (isQuick ? 2 : JOBS); job++) {
    const fields = { name: `cold ${job}`, templateId: template["id"], workersMax: 1 };
    const { id } = await call("POST", "/v1/endpoints", fields);
    const startedAt = Date.now();
    const { output } = await call("POST", `/v2/${String(id)}/runsync`, { input: {} });
    if (typeof output !== "number") throw new Error("the job did not complete");
    times.push(output - startedAt);
    await call("DELETE", `/v1/endpoints/${String(id)}`);
  }
  await forebay.stop();
  await rm(directory, { recursive: true });
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
