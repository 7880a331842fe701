import { rm } from "node:fs/promises";
import { freePort } from "../../test/support/free-port.ts";
import { type Contestant, absent, type Measured } from "../contestant.ts";
import type { Settings } from "../forebay-server.ts";
import { startMeasuredPostgres } from "../measured-postgres.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

/** How to start the processes of a queue. `PORT`, `STORE` and `MILESTONES` stand for those of the run. */
export interface LibraryPeer {
  readonly name: string;
  readonly front: readonly string[];
  readonly worker: readonly string[];
  readonly startStore: () => Promise<Store>;
  /** The program of the store. */
  readonly needs?: string;
  /** Its front answers results by id. */
  readonly storesResults: boolean;
  readonly share?: number;
  readonly settingOf?: string;
  readonly missing?: () => string | undefined;
}

interface Store {
  readonly process: Measured;
  /** What the front and the worker need to find it. */
  readonly address: string;
  clean(): Promise<void>;
}

/** A queue behind an HTTP front, with a worker in a process of its own. */
export function libraryPeer(peer: LibraryPeer): Contestant {
  const { front, worker, startStore, needs, storesResults, ...about } = peer;
  const { name } = about;
  if (needs !== undefined && Bun.which(needs) === null) return absent(name, `${needs} is not installed`);
  return {
    ...about,
    isPeer: true,
    async start(milestones) {
      const port = await freePort();
      const store = await startStore();
      const words: Settings = {
        PORT: String(port),
        STORE: store.address,
        MILESTONES: milestones.join(","),
      };
      const given = (command: readonly string[]): string[] => command.map((word) => words[word] ?? word);
      const production = { NODE_ENV: "production" };
      const server = new MeasuredProcess(given(front), production);
      // The front creates the tables.
      await server.line("ready");
      const work = new MeasuredProcess(given(worker), production);
      await work.line("ready");
      const results = storesResults ? { statusPath: "/status" } : {};
      return {
        target: { ports: [port], path: "/run", key: "none", ...results },
        servers: [server],
        stores: [store.process],
        workers: [work],
        ran: (jobs) => work.line(`ran ${jobs}`, 3_600_000),
        clean: store.clean,
      };
    },
  };
}

export async function postgresStore(): Promise<Store> {
  const process = await startMeasuredPostgres();
  return { process, address: process.url, clean: async () => undefined };
}

export type Fsync = "always" | "everysec";

/** A Redis that keeps a log: synced for each command, or once a second. `env` is that of Redis. */
export function redisStore(fsync: Fsync, env: Settings = {}): () => Promise<Store> {
  return async () => {
    const directory = temporaryDirectory("redis-bench-");
    const port = String(await freePort());
    const durability = ["--appendonly", "yes", "--appendfsync", fsync, "--save", ""];
    const command = ["redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", directory];
    const process = new MeasuredProcess([...command, ...durability], env);
    await process.line("Ready to accept connections");
    return { process, address: `redis:${port}`, clean: () => deleteAll(directory) };
  };
}

/** A beanstalkd that syncs its log for each job. */
export async function beanstalkdStore(): Promise<Store> {
  const directory = temporaryDirectory("beanstalkd-bench-");
  const port = String(await freePort());
  const durability = ["-b", directory, "-f", "0"];
  const process = new MeasuredProcess(["beanstalkd", "-l", "127.0.0.1", "-p", port, ...durability]);
  return { process, address: port, clean: () => deleteAll(directory) };
}

function deleteAll(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
