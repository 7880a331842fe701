import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { portOf, restartForebay, startForebayUnderTest, type ForebayUnderTest } from "../forebay-server.ts";
import { type LoadClient, startClient } from "../load-client.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { shared } from "../shared.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const JOBS = 170_000;
/** Larger ones would be in files beside the database. */
const BYTES = 60_000;
const DATABASE = "forebay.db";
const CLEAN = "after a clean stop";
const KILLED = "after SIGKILL under load";
const COLD = "after SIGKILL under load, files not in memory";

interface Filled {
  readonly directory: string;
  readonly data: string;
  readonly forebay: ForebayUnderTest;
  server: MeasuredProcess;
  port: number;
}

const filled = shared<Filled>(async ({ directory, server, forebay }) => {
  await server.stop();
  await forebay.clean();
  await rm(directory, { recursive: true });
});

/** W9: how soon a server with much data is ready. */
export const START: Workload = {
  id: "start",
  title: "W9: start on 10 GB of data",
  about:
    "170,000 jobs of 60 kB wait in SQLite. Times count from the start of the process: until the server " +
    "says that it is ready, and until it has answered its first submission. The last row drops the files " +
    "from the page cache first. Requires 12 GB in the directory of temporary files.",
  rounds: 3,
  minutes: 4,
  columns: [
    { key: "ready", title: "ready, ms", digits: 0 },
    { key: "first", title: "first submission answered, ms", digits: 0 },
    { key: "data", title: "data, GB", digits: 1 },
    { key: "log", title: "write-ahead log, MB", digits: 0 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  goals: [CLEAN, KILLED, COLD].map((row) =>
    figureGoal({
      what: `W9 start on 10 GB of data ${row}: ready, ms`,
      row,
      key: "ready",
      must: { most: 1_000 },
      digits: 0,
    }),
  ),
  async cases(scale) {
    return [CLEAN, KILLED, COLD].map((name): Case => ({
      name,
      measure: async () => [{ name, figures: await measure(name, scale) }],
    }));
  },
  end: () => filled.end(),
};

async function measure(name: string, scale: Scale): Promise<Figures> {
  const one = await filled.get(scale.build, () => fill(scale));
  if (name === CLEAN) await one.server.stop("SIGTERM");
  else {
    await killUnderLoad(one);
  }
  if (name === COLD) dropFromMemory(one.data);
  const [data, log] = ["", "-wal"].map((end) => sizeOf(join(one.data, `${DATABASE}${end}`)));
  const startedAt = performance.now();
  one.server = restartForebay(scale.build, settingsOf(one.data));
  one.port = await portOf(one.server);
  const ready = performance.now() - startedAt;
  await submit(one, 1, 300, 1);
  const first = performance.now() - startedAt;
  return {
    ready,
    first,
    data: (data ?? 0) / 1e9,
    log: (log ?? 0) / 1e6,
    memory: one.server.memory(),
  };
}

/** The client stops first, so that it does not complain; its last requests are still under way. */
async function killUnderLoad(one: Filled): Promise<void> {
  const client = await clientOf(one, 300, 64);
  client.begin(2_000);
  await pause(2_000);
  client.process.signal("SIGSTOP");
  await one.server.stop("SIGKILL");
  await client.stop();
}

async function fill({ build, isQuick }: Scale): Promise<Filled> {
  const directory = temporaryDirectory("forebay-10-gb-");
  const data = join(directory, "data");
  const forebay = await startForebayUnderTest(build, settingsOf(data));
  const one = { directory, data, forebay, server: forebay.server, port: forebay.port };
  await submit(one, isQuick ? 100 : JOBS, BYTES, 64);
  return one;
}

function settingsOf(data: string) {
  return { port: "0", data, "run-retention-ms": "86400000" };
}

async function submit(one: Filled, jobs: number, bytes: number, connections: number): Promise<void> {
  const client = await clientOf(one, bytes, connections);
  await client.submit(jobs);
  await client.stop();
}

function clientOf({ forebay, port }: Filled, bytes: number, connections: number): Promise<LoadClient> {
  const { endpoint, key } = forebay;
  return startClient({ ports: [port], path: `/v2/${endpoint}/run`, key }, { bytes, connections });
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Without root: the system forgets what it has cached of these files. */
function dropFromMemory(data: string): void {
  for (const end of ["", "-wal"]) {
    const file = join(data, `${DATABASE}${end}`);
    if (sizeOf(file) === 0) continue;
    const { status, stderr } = spawnSync("dd", [`if=${file}`, "iflag=nocache", "count=0"]);
    if (status !== 0) throw new Error(`dd failed: ${stderr.toString()}`);
  }
}
