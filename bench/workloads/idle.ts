import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callForebay, startForebayUnderTest } from "../forebay-server.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const NONE = "no workers";
const EXCHANGE = "own library, exchange";
const PUBLIC = "public protocol";
const SHARED = "public protocol, one token for many, no pings";

/** What 2,000 workers cost that wait for jobs. */
export const IDLE: Workload = {
  id: "idle",
  title: "Idle: 1,000 endpoints, 2,000 workers that wait",
  about:
    "The public worker polls for jobs, polls for stops, and sends heartbeats; our own library does all in " +
    "one call. No job comes. Measured for 20 s, 10 s after the last worker has begun.",
  rounds: 1,
  minutes: 4,
  columns: [
    { key: "rate", title: "calls/s", digits: 0 },
    { key: "cpu", title: "CPU of the server, % of a core", digits: 1 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  goals: [
    figureGoal({
      what: "2,000 idle workers of the public protocol: CPU, % of a core",
      row: PUBLIC,
      key: "cpu",
      must: { most: 10 },
      digits: 1,
    }),
  ],
  cases: async (scale) =>
    [NONE, EXCHANGE, PUBLIC, SHARED].map((name): Case => ({
      name,
      measure: async () => [{ name, figures: await measure(name, scale) }],
    })),
};

async function measure(name: string, { build, isQuick }: Scale): Promise<Figures> {
  const { server, port, clean } = await startForebayUnderTest(build);
  const many = name === SHARED;
  const workersEach = name === NONE ? 0 : 2;
  const workers: object[] = [];
  for (let number = 0; number < (isQuick ? 5 : 1_000); number++) {
    const { id } = await callForebay(port, "/v1/endpoints", { name: `idle ${number}` });
    for (let count = 0; count < workersEach; count++) {
      const { env, workerId } = await callForebay(port, `/v1/endpoints/${String(id)}/workers`, { many });
      const token = Object(env)["RUNPOD_AI_API_KEY"];
      workers.push({ base: `http://127.0.0.1:${port}/v2/${String(id)}`, worker: workerId, token });
    }
  }
  const file = join(temporaryDirectory("bench-idle-"), "workers.json");
  writeFileSync(file, JSON.stringify(workers));
  const protocol = name === EXCHANGE ? "exchange" : many ? "public, shared token" : "public";
  const seconds = isQuick ? ["0.5", "0.5"] : ["10", "20"];
  const load = new MeasuredProcess(
    [process.execPath, join(import.meta.dir, "../load/idle-workers.ts"), file, protocol, ...seconds],
    // The limit of connections in the runtime would be reached first.
    { BUN_CONFIG_MAX_HTTP_REQUESTS: "65000" },
  );
  try {
    await load.line("begin");
    const [before, startedAt] = [server.cpu(), performance.now()];
    const end = await load.line("end");
    const [used, took] = [server.cpu() - before, performance.now() - startedAt];
    const calls = /^end: (\d+) calls, 0 refused$/.exec(end)?.[1];
    if (calls === undefined) throw new Error(end);
    return { rate: (Number(calls) / took) * 1_000, cpu: used / took / 10, memory: server.memory() };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
  }
}
