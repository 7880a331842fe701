import { join } from "node:path";
import type { Contestant, Measured, Running } from "../contestant.ts";
import {
  type ForebayUnderTest,
  joinForebayUnderTest,
  type Settings,
  startForebayUnderTest,
} from "../forebay-server.ts";
import { startMeasuredPostgres } from "../measured-postgres.ts";
import { MeasuredProcess } from "../measured-process.ts";

const WORKERS = 64;

/** Jobs that run at a time, over all workers: between the 200 of pgmq and pg-boss and the 500 of River. */
const ON_POSTGRES = 256;

/** Forebay of this build on SQLite with 64 workers of the public protocol; `env` is that of the server. */
export function forebayPublic(build: string, name: string, env: Settings = {}): Contestant {
  return {
    name,
    async start(milestones) {
      const forebay = await startForebayUnderTest(build, {}, env);
      return running([forebay], [startPublicWorkers(forebay, milestones)]);
    },
  };
}

/** Forebay on SQLite with one worker of its own library, 64 jobs at a time, on this runtime. */
export function forebayLibrary(
  build: string,
  name: string,
  runtime: "Bun" | "Node",
  protocol: "exchange" | "public",
  env: Settings = {},
): Contestant {
  return {
    name,
    async start(milestones) {
      const forebay = await startForebayUnderTest(build, {}, env);
      return running([forebay], [startLibraryWorker(forebay, { runtime, protocol, milestones })]);
    },
  };
}

/** Forebay servers on one PostgreSQL, each with a worker of its own library; `env` is that of the first. */
export function forebayServers(build: string, name: string, count: number, env: Settings = {}): Contestant {
  return {
    name,
    async start(milestones) {
      const database = await startMeasuredPostgres();
      const settings = { "database-url": database.url, "run-retention-ms": "60000" };
      const first = await startForebayUnderTest(build, settings, env);
      const others = Array.from({ length: count - 1 }, () => joinForebayUnderTest(first, settings));
      const servers = [first, ...(await Promise.all(others))];
      const workers = servers.map((server) =>
        startLibraryWorker(server, { milestones, concurrency: ON_POSTGRES / count }),
      );
      return running(servers, workers, [database]);
    },
  };
}

export function startPublicWorkers(
  { port, endpoint, token }: Pick<ForebayUnderTest, "port" | "endpoint" | "token">,
  milestones: readonly number[],
): MeasuredProcess {
  const options = { port, workers: WORKERS, endpoints: [{ endpoint, token }], milestones };
  return startWorkerProgram(options);
}

/** A process of `load/public-workers.ts`. */
export function startWorkerProgram(options: object): MeasuredProcess {
  const script = join(import.meta.dir, "../load/public-workers.ts");
  return new MeasuredProcess([process.execPath, script, JSON.stringify(options)]);
}

export function startLibraryWorker(
  { workerEnv }: Pick<ForebayUnderTest, "workerEnv">,
  given: {
    readonly milestones?: readonly number[];
    readonly runtime?: "Bun" | "Node";
    readonly protocol?: "exchange" | "public";
    readonly concurrency?: number;
  },
): MeasuredProcess {
  const { milestones = [], runtime = "Bun", protocol = "exchange", concurrency = WORKERS } = given;
  const program = runtime === "Bun" ? process.execPath : "node";
  const script = join(import.meta.dir, "../load/sdk-worker.mjs");
  const env = { ...workerEnv, FOREBAY_PROTOCOL: protocol };
  return new MeasuredProcess([program, script, milestones.join(","), String(concurrency)], env);
}

async function running(
  servers: readonly ForebayUnderTest[],
  workers: readonly MeasuredProcess[],
  stores: readonly Measured[] = [],
): Promise<Running> {
  const [first] = servers;
  if (first === undefined) throw new Error("a measurement requires a server");
  await Promise.all(workers.map((worker) => worker.line("ready")));
  const { endpoint, key } = first;
  return {
    target: {
      ports: servers.map(({ port }) => port),
      path: `/v2/${endpoint}/run`,
      statusPath: `/v2/${endpoint}/status`,
      key,
    },
    servers: servers.map(({ server }) => server),
    stores,
    workers,
    ran: (jobs) => Promise.all(workers.map((worker) => worker.line(`ran ${jobs}`, 3_600_000))),
    clean: async () => void (await Promise.all(servers.map(({ clean }) => clean()))),
  };
}
