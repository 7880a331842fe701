import { digestOf } from "./digest.ts";
import type { Engine } from "./engine.ts";
import { fleetState } from "./fleet-state.ts";
import { fleetWords } from "./fleet-word.ts";
import { endedJobs } from "./history.ts";
import { jobIds } from "./job-ids.ts";
import { isSilent, workerLoad } from "./known-workers.ts";
import { losses } from "./losses.ts";
import { ParkedTakes } from "./parked-takes.ts";
import { openPeers } from "./peers.ts";
import { queuedBytes } from "./queued-bytes.ts";
import { QueueHints } from "./queue-hints.ts";
import { loadConfiguration } from "./records/configuration.ts";
import { logUnreachableNames } from "./records/find-endpoint.ts";
import type { KeyRotations } from "./rotate-keys.ts";
import { seenWaiting } from "./seen.ts";
import { statistics } from "./statistics/statistics.ts";
import { handOutRules } from "./take-step.ts";
import { unansweredReports } from "./unanswered-reports.ts";
import { waits } from "./waits.ts";
import { wakeOnSignals } from "./wake.ts";

/** What the start of a server decides about its engine. */
export interface EngineParts extends Pick<
  Engine,
  | "server"
  | "store"
  | "clock"
  | "durations"
  | "workerLogs"
  | "chunkLimit"
  | "limits"
  | "historyLimits"
  | "log"
  | "meters"
  | "secrets"
  | "starts"
  | "webhookRefusal"
> {
  readonly keepKeys: KeyRotations["keepKeys"];
  /** Fills the bytes with random numbers that nobody can guess. */
  readonly randomFill: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** Creates the engine on the records in the store. Commits wake its waiting calls. */
export async function createEngine(parts: EngineParts): Promise<Engine> {
  const { randomFill, keepKeys, ...given } = parts;
  const { shared } = given.store;
  const load = workerLoad();
  const fleet = fleetState();
  const sealsBy = () => digestOf(given.secrets.keys[0] ?? "");
  const peers = shared && openPeers({ ...given, shared, fleet: () => fleetWords(fleet), sealsBy });
  const configuration = await loadConfiguration(parts.store);
  const engine: Engine = {
    ...given,
    rotations: { keepKeys, underWay: undefined },
    peers,
    configuration,
    queuedBytes: queuedBytes({ ...given, configuration }),
    jobIds: jobIds(randomFill),
    parkedTakes: new ParkedTakes(parts.clock, handOutRules({ configuration, fleet }, load), {
      isSilent: (endpoint, worker) => isSilent(engine, endpoint, worker),
      pingInterval: parts.durations.pingInterval,
      notice: (endpoint, worker) => seenWaiting(engine, endpoint, worker),
    }),
    queueHints: new QueueHints(),
    workerLoad: load,
    statistics: statistics(given),
    endedJobs: endedJobs({ ...given, configuration }),
    readings: new Map(),
    waits: waits(parts.clock),
    observers: new Set(),
    contactWritten: new Map(),
    lastCalls: new Map(),
    hasPinged: new Map(),
    openCalls: new Map(),
    keysUsed: new Map(),
    stopsTold: new Map(),
    unansweredReports: unansweredReports(parts.clock, parts.durations.rehandDelay),
    fleet,
    losses: losses(),
    isStopping: false,
  };
  await engine.queuedBytes.look();
  wakeOnSignals(engine);
  logUnreachableNames(engine);
  return engine;
}

/**
 * From now on no job is accepted or handed out. Waiting calls are answered at once: those for jobs with none,
 * those for the end of a job with its state. Running jobs can still be reported.
 */
export function stopEngine(engine: Pick<Engine, "isStopping" | "parkedTakes" | "waits">): void {
  engine.isStopping = true;
  engine.parkedTakes.stop();
  engine.waits.stop();
}
