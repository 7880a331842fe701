import { digestOf } from "./digest.ts";
import type { Engine } from "./engine.ts";
import { jobIds } from "./job-ids.ts";
import { fleetWords } from "./fleet-word.ts";
import { isOutdated } from "./is-outdated.ts";
import { isPaused } from "./is-paused.ts";
import { losses } from "./losses.ts";
import { parkedTakes } from "./parked-takes.ts";
import { openPeers } from "./peers.ts";
import { queuedBytes } from "./queued-bytes.ts";
import { queueHints } from "./queue-hints.ts";
import { loadConfiguration } from "./records/configuration.ts";
import { logUnreachableNames } from "./records/unreachable-names.ts";
import { statistics } from "./statistics/statistics.ts";
import { unansweredReports } from "./unanswered-reports.ts";
import { waits } from "./waits.ts";
import { wakeOnSignals } from "./wake.ts";
import { workerLoad } from "./worker-load.ts";

/** What the start of a server decides of its engine. */
export interface EngineParts extends Pick<
  Engine,
  | "server"
  | "store"
  | "clock"
  | "durations"
  | "workerLogs"
  | "chunkLimit"
  | "limits"
  | "log"
  | "meters"
  | "secrets"
  | "keepKeys"
  | "refusal"
  | "webhookRefusal"
  | "runs"
  | "startsFrom"
> {
  /** Fills the bytes from a source that nobody can guess. */
  readonly randomFill: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** What an engine works with, on the configuration that the store has. It is woken by what is committed. */
export async function createEngine(parts: EngineParts): Promise<Engine> {
  const { randomFill, ...given } = parts;
  const { shared } = given.store;
  const load = workerLoad();
  const managed: Engine["managed"] = new Map();
  const fleetReports: Engine["fleetReports"] = new Map();
  const coldStarts: Engine["coldStarts"] = new Map();
  const draining: Engine["draining"] = new Set();
  const toReplace: Engine["toReplace"] = new Set();
  const fleet = () => fleetWords({ managed, fleetReports, coldStarts, draining, toReplace });
  const sealsBy = () => digestOf(given.secrets.keys[0] ?? "");
  const configuration = await loadConfiguration(parts.store);
  const engine: Engine = {
    ...given,
    rotation: undefined,
    peers: shared === undefined ? undefined : openPeers({ ...given, shared, fleet, sealsBy }),
    configuration,
    queuedBytes: queuedBytes({ ...given, configuration }),
    jobIds: jobIds(randomFill),
    parkedTakes: parkedTakes(parts.clock, {
      load,
      isPaused: (endpoint) => isPaused(engine, endpoint),
      isOutdated: (endpoint, worker) => isOutdated(engine, endpoint, worker),
    }),
    queueHints: queueHints(),
    workerLoad: load,
    statistics: statistics(given),
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
    managed,
    fleetReports,
    fleetNews: new Set(),
    coldStarts,
    losses: losses(),
    isStopping: false,
    toReplace,
    draining,
  };
  await engine.queuedBytes.look();
  wakeOnSignals(engine);
  logUnreachableNames(engine);
  return engine;
}
