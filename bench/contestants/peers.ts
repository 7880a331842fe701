import { join } from "node:path";
import type { Contestant } from "../contestant.ts";
import type { Settings } from "../forebay-server.ts";
import { beanstalkdStore, type Fsync, libraryPeer, redisStore } from "./library-peer.ts";

const peer = (script: string): string => join(import.meta.dir, "../peers", script);

/** BullMQ with Fastify in front, with several settings. It drops results, which is its fastest mode. */
export function bullmq(
  name: string,
  fsync: Fsync,
  /** The environment of Redis. */
  env: Settings = {},
): readonly Contestant[] {
  return [32, 64, 128].map((concurrency) =>
    libraryPeer({
      name: `${name}, concurrency ${concurrency}`,
      settingOf: name,
      front: ["node", peer("bullmq-front.mjs"), "PORT", "STORE"],
      worker: ["node", peer("bullmq-worker.mjs"), "STORE", String(concurrency), "MILESTONES"],
      startStore: redisStore(fsync, env),
      needs: "redis-server",
      storesResults: false,
    }),
  );
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

/** beanstalkd with Fastify in front, with several settings. It stores no results. */
export function beanstalkd(name: string): readonly Contestant[] {
  return [16, 64].map((workers) =>
    libraryPeer({
      name: `${name}, ${workers} workers`,
      settingOf: name,
      front: ["node", peer("beanstalkd-front.mjs"), "PORT", "STORE"],
      worker: ["node", peer("beanstalkd-worker.mjs"), "STORE", String(workers), "MILESTONES"],
      startStore: beanstalkdStore,
      needs: "beanstalkd",
      storesResults: false,
    }),
  );
}
