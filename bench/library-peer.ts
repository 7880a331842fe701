import { rm } from "node:fs/promises";
import { freePort } from "./bullmq.ts";
import { startMeasuredPostgres } from "./measured-postgres.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import type { RoundTrip } from "./round-trip.ts";

/** How to start the two processes of a library: `PORT` and `STORE` stand for those of the run. */
export interface LibraryPeer {
  readonly name: string;
  readonly front: readonly string[];
  readonly worker: readonly string[];
  readonly store: "PostgreSQL" | "Redis";
}

/** A library behind an HTTP front, with a worker in a process of its own. */
export function libraryPeer({ name, front, worker, store }: LibraryPeer): RoundTrip {
  return {
    name,
    async start() {
      const port = await freePort();
      const kept = store === "Redis" ? await startRedis() : await startPostgres();
      const given = (command: readonly string[]): string[] =>
        command.map((word) => word.replace("PORT", String(port)).replace("STORE", kept.address));
      const production = { NODE_ENV: "production" };
      const server = new MeasuredProcess(given(front), production);
      // The front makes the tables.
      await server.line("ready");
      const work = new MeasuredProcess(given(worker), production);
      await work.line("ready");
      return {
        ports: [port],
        path: "/run",
        statusPath: "/status",
        key: "none",
        servers: [server],
        stores: [kept.process],
        workers: [work],
        clean: kept.clean,
      };
    },
  };
}

async function startPostgres() {
  const process = await startMeasuredPostgres();
  return { process, address: process.url, clean: async () => undefined };
}

/** Synced at every command. */
async function startRedis() {
  const directory = temporaryDirectory("redis-bench-");
  const port = String(await freePort());
  const durability = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const process = new MeasuredProcess(["redis-server", "--port", port, "--dir", directory, ...durability]);
  await process.line("Ready to accept connections");
  return { process, address: `redis:${port}`, clean: () => rm(directory, { recursive: true, force: true }) };
}
