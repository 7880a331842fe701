import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { portOf, restartForebay, startForebayUnderTest, type ForebayUnderTest } from "../forebay-server.ts";
import { startClient } from "../load-client.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const JOBS = 100_000;
const BYTES = 100_000;
const DATABASE = "forebay.db";
const CLEAN = "after a clean stop";
const KILLED = "after SIGKILL under load";
const COLD = "after SIGKILL under load, files not in memory";

interface Filled {
  readonly data: string;
  readonly forebay: ForebayUnderTest;
  server: MeasuredProcess;
  port: number;
}

/** 10 GB stay over all rounds. */
let filled: Promise<Filled> | undefined;

/** W9: how soon a server with much data is ready. */
export const START: Workload = {
  id: "start",
  title: "W9: start on 10 GB of data",
  about:
    "100,000 jobs of 100 kB wait in SQLite. Times count from the start of the process: until the server " +
    "says that it is ready, and until it has answered its first submission. The last row drops the files " +
    "from the page cache first. Requires 12 GB in the directory of temporary files.",
  minutes: 6,
  columns: [
    { key: "ready", title: "ready, ms", digits: 0 },
    { key: "first", title: "first submission answered, ms", digits: 0 },
    { key: "data", title: "data, GB", digits: 1 },
    { key: "log", title: "write-ahead log, MB", digits: 0 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  goals: [CLEAN, KILLED, COLD].map((row) =>
    figureGoal({ what: `ready, ms: ${row}`, row, key: "ready", must: { most: 1_000 }, digits: 0 }),
  ),
  async cases(scale) {
    return [CLEAN, KILLED, COLD].map((name): Case => ({
      name,
      measure: async () => [{ name, figures: await measure(name, scale) }],
    }));
  },
  async end() {
    const one = await filled;
    filled = undefined;
    await one?.server.stop();
    await one?.forebay.clean();
  },
};

async function measure(name: string, scale: Scale): Promise<Figures> {
  filled ??= fill(scale);
  const one = await filled;
  if (name === CLEAN) await one.server.stop("SIGTERM");
  else {
    await loadOf(one, scale.isQuick ? 100 : 5_000, 300);
    await one.server.stop("SIGKILL");
  }
  if (name === COLD) dropFromMemory(one.data);
  const [data, log] = ["", "-wal"].map((end) => sizeOf(join(one.data, `${DATABASE}${end}`)));
  const startedAt = performance.now();
  one.server = restartForebay(settingsOf(one.data));
  one.port = await portOf(one.server);
  const ready = performance.now() - startedAt;
  await loadOf(one, 1, 300, 1);
  const first = performance.now() - startedAt;
  return {
    ready,
    first,
    data: (data ?? 0) / 1e9,
    log: (log ?? 0) / 1e6,
    memory: one.server.memory(),
  };
}

async function fill({ isQuick }: Scale): Promise<Filled> {
  const data = join(temporaryDirectory("forebay-10-gb-"), "data");
  const forebay = await startForebayUnderTest(settingsOf(data));
  const one = { data, forebay, server: forebay.server, port: forebay.port };
  await loadOf(one, isQuick ? 100 : JOBS, BYTES);
  return one;
}

function settingsOf(data: string) {
  return { port: "0", data, "run-retention-ms": "86400000" };
}

async function loadOf(
  { forebay: { endpoint, key }, port }: Filled,
  jobs: number,
  bytes: number,
  connections = 64,
): Promise<void> {
  const target = { ports: [port], path: `/v2/${endpoint}/run`, key };
  const client = await startClient(target, { bytes, connections });
  await client.submit(jobs);
  await client.stop();
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
