import type { Log } from "../domain/log.ts";
import type { Engine } from "../engine/engine.ts";
import { askReplacement } from "../engine/fleet-state.ts";
import type { WorkerLogFiles } from "../fleet/logs/worker-log-files.ts";
import { type Hosts, lookAt } from "../fleet/hosts.ts";
import type { FleetWorkers } from "./fleet-workers.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** The request to stop or replace a worker has its answer, so nobody waits. ms. */
const REQUESTS_INTERVAL = 200;

const EXITS_INTERVAL = 1_000;

const LOST_INTERVAL = 1_000;

const READINGS_INTERVAL = 30_000;

/** Until then the logs of one endpoint can be larger than their limit; ms. */
const TIDY_INTERVAL = 2_000;

/** What each server does about the workers that it has started: no other server can reach them. */
export function workerJobs(
  engine: Engine,
  workers: FleetWorkers,
  logs: WorkerLogFiles,
  isLeader: () => boolean,
): BackgroundJob[] {
  const { configuration } = engine;
  return [
    {
      name: "settle",
      every: EXITS_INTERVAL,
      // The leader scales, and settles the exits of its workers before that.
      async run() {
        if (!isLeader()) await workers.settleExits();
      },
    },
    { name: "tidy", every: TIDY_INTERVAL, run: () => workers.tidy() },
    { name: "lost hosts", every: LOST_INTERVAL, run: () => workers.loseAway() },
    { name: "asked", every: REQUESTS_INTERVAL, run: async () => followRequests(engine, workers) },
    {
      name: "tidy logs",
      every: TIDY_INTERVAL,
      run: () => logs.tidy((id) => configuration.get("endpoint", id) !== undefined),
    },
  ];
}

/**
 * Each server reads what its hosts have. It waits for none of them: to read GPUs can take 20 s, and one that
 * fails is known in a minute, whatever the other hosts do.
 */
export function hostsJob(hosts: Hosts, log: Log): BackgroundJob {
  return {
    name: "hosts",
    every: READINGS_INTERVAL,
    async run() {
      for (const host of hosts.all()) lookAt(host, log);
    },
  };
}

/** Stops or replaces the workers for which a client asked that, on any server and before any restart. */
function followRequests(engine: Engine, workers: FleetWorkers): void {
  for (const [id, { endpoint }] of engine.fleet.managed) {
    const asked = engine.configuration.get("worker", id)?.asked;
    if (asked === undefined || engine.fleet.draining.has(id)) continue;
    if (asked === "stop") workers.end(id, engine.durations.drainGrace);
    else if (!engine.fleet.toReplace.has(id)) askReplacement(engine, { endpoint, id });
  }
}
