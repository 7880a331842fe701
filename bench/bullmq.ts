import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Contestant } from "./contestant.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const PRODUCTION = { NODE_ENV: "production" };

/** BullMQ 6 with Fastify in front, on a Redis that syncs every command. */
export function bullmq(concurrency: number): Contestant {
  return {
    name: `BullMQ, concurrency ${concurrency}`,
    async start(jobs) {
      const directory = temporaryDirectory("bullmq-bench-");
      const [redisPort, port] = [await freePort(), await freePort()];
      const durability = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
      const redis = new MeasuredProcess([
        "redis-server",
        "--port",
        String(redisPort),
        "--dir",
        directory,
        ...durability,
      ]);
      await redis.line("Ready to accept connections");
      const peer = (script: string): string => join(import.meta.dir, "peers", script);
      const front = new MeasuredProcess(
        ["node", peer("bullmq-front.mjs"), String(port), `redis:${redisPort}`],
        PRODUCTION,
      );
      const settings = [`redis:${redisPort}`, String(concurrency), String(jobs)];
      const worker = new MeasuredProcess(["node", peer("bullmq-worker.mjs"), ...settings], PRODUCTION);
      await Promise.all([front.line("ready"), worker.line("ready")]);
      return {
        port,
        path: "/run",
        key: "none",
        processes: [redis, front, worker],
        done: () => worker.line("done"),
        clean: () => rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

/** A port that was free a moment ago; neither Redis nor Fastify tells which one it took by itself. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
