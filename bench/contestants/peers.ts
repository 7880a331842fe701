import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { absent, type Contestant } from "../contestant.ts";
import type { Settings } from "../forebay-server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { beanstalkdStore, type Fsync, libraryPeer, postgresStore, redisStore } from "./library-peer.ts";

const peer = (script: string): string => join(import.meta.dir, "../peers", script);

/** BullMQ with Fastify in front; `env` is that of Redis. It drops results, which is its fastest mode. */
export function bullmq(name: string, fsync: Fsync, concurrency: number, env: Settings = {}): Contestant {
  return libraryPeer({
    name,
    front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE"],
    worker: ["node", peer("bullmq-worker.mjs"), "STORE", String(concurrency), "MILESTONES"],
    startStore: redisStore(fsync, env),
    needs: "redis-server",
    storesResults: false,
  });
}

/** BullMQ on Redis that stores results. */
export function bullmqWithResults(name: string): Contestant {
  return libraryPeer({
    name,
    front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE", "keep"],
    worker: ["node", peer("bullmq-worker.mjs"), "STORE", "32"],
    startStore: redisStore("always"),
    needs: "redis-server",
    storesResults: true,
  });
}

/** beanstalkd with Fastify in front. It stores no results. */
export function beanstalkd(name: string, connections: number): Contestant {
  return libraryPeer({
    name,
    front: ["node", peer("beanstalkd-front.mjs"), "PORT", "STORE"],
    worker: ["node", peer("beanstalkd-worker.mjs"), "STORE", String(connections), "MILESTONES"],
    startStore: beanstalkdStore,
    needs: "beanstalkd",
    storesResults: false,
  });
}

/** The queues on PostgreSQL, with the settings that did best. Their names begin with "peer: ". */
export function postgresPeers(pgmq: string | undefined): readonly Contestant[] {
  const onPostgres = { startStore: postgresStore, storesResults: true };
  const node = (name: string, front: string, worker: string, settings: string[], share = 1): Contestant =>
    libraryPeer({
      ...onPostgres,
      name: `peer: ${name}`,
      share,
      front: ["node", peer(front), "PORT", "STORE", ...(pgmqFile(front, pgmq) ?? [])],
      worker: ["node", peer(worker), "STORE", ...settings],
    });
  const withResults = { ...onPostgres, name: "peer: BullMQ on PostgreSQL", share: 0.25 };
  return [
    ...["100", "500"].map((batch) =>
      node(`pg-boss, 2 × ${batch}`, "pg-boss-front.mjs", "pg-boss-worker.mjs", [batch, "2"]),
    ),
    node("graphile-worker", "graphile-front.mjs", "graphile-worker.mjs", ["64", "500"], 0.5),
    libraryPeer({
      ...withResults,
      front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE", "keep"],
      worker: ["node", peer("bullmq-worker.mjs"), "STORE", "32"],
    }),
    pgmq === undefined
      ? absent("peer: pgmq", "no --pgmq FILE was given (pgmq-extension/sql/pgmq.sql of pgmq/pgmq)")
      : node("pgmq", "pgmq-front.mjs", "pgmq-worker.mjs", ["100", "2"]),
    ...river(["200", "500"]),
  ];
}

function pgmqFile(front: string, file: string | undefined): string[] | undefined {
  return front.startsWith("pgmq") && file !== undefined ? [file] : undefined;
}

/** River is written in Go; it takes part where a Go compiler builds it. */
function river(concurrencies: readonly string[]): Contestant[] {
  const program = join(temporaryDirectory("river-bench-"), "river");
  let reason: string | undefined;
  let isBuilt = false;
  const missing = (): string | undefined => {
    if (!isBuilt) reason = buildRiver(program);
    isBuilt = true;
    return reason;
  };
  return concurrencies.map((concurrency) => ({
    ...libraryPeer({
      name: `peer: River, concurrency ${concurrency}`,
      front: [program, "front", "PORT", "STORE"],
      worker: [program, "worker", "STORE", concurrency],
      startStore: postgresStore,
      storesResults: true,
    }),
    missing,
  }));
}

/** Why it cannot be built, if so. */
function buildRiver(program: string): string | undefined {
  if (goProgram() === undefined) return "Go is not installed";
  const { status, stderr } = goBuild(peer("river"), program, ".");
  return status === 0 ? undefined : `go build failed: ${stderr.trim().slice(-300)}`;
}

/** Builds a package of the Go module in this directory. */
export function goBuild(directory: string, output: string, target: string) {
  const command = ["build", "-o", output, target];
  return spawnSync(goProgram() ?? "go", command, { cwd: directory, encoding: "utf8" });
}

/** Go on the PATH, or where its installer puts it. */
export function goProgram(): string | undefined {
  return Bun.which("go") ?? Bun.which("/usr/local/go/bin/go") ?? undefined;
}
