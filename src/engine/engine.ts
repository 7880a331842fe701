import type { Clock } from "../domain/clock.ts";
import type { Durations } from "../domain/durations.ts";
import type { Log } from "../domain/log.ts";
import type { Template } from "../domain/template.ts";
import type { Signal, Store } from "../store/store.ts";
import { type JobIds, jobIds } from "./job-ids.ts";
import { fleetWords } from "./fleet-word.ts";
import type { ManagedWorker, Shortage } from "./managed-worker.ts";
import { type ParkedTakes, parkedTakes } from "./parked-takes.ts";
import { openPeers, type Peers } from "./peers.ts";
import { type QueueHints, queueHints } from "./queue-hints.ts";
import { type Configuration, loadConfiguration } from "./records/configuration.ts";
import type { SecretBox } from "./secret-box.ts";
import { type UnansweredReports, unansweredReports } from "./unanswered-reports.ts";
import { type Waits, waits } from "./waits.ts";
import { wakeOnSignals } from "./wake.ts";
import { type WorkerLoad, workerLoad } from "./worker-load.ts";

/** What every verb works with. A verb is one file beside this one; only verbs call the store. */
export interface Engine {
  /** Names this server among those that share its data. */
  readonly server: string;
  readonly store: Store;
  /** Undefined when no other server works on the same data. */
  readonly peers: Peers | undefined;
  readonly clock: Clock;
  readonly durations: Durations;
  /** How many bytes the chunks of one attempt may have together. */
  readonly chunkLimit: number;
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly configuration: Configuration;
  readonly jobIds: JobIds;
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
  readonly queueHints: QueueHints;
  readonly workerLoad: WorkerLoad;
  /** Calls that wait for something to happen to a job, or for a job that a worker must stop. */
  readonly waits: Waits;
  /** Each is told of every change that was committed. A hint: it may be lost, and everything can be read. */
  readonly observers: Set<(signal: Signal) => void>;
  /**
   * When each worker's contact was last written, so that it is written once a second and not at each call.
   */
  readonly contactWritten: Map<string, number>;
  /** When keys were used since that was last written, by their ids. */
  readonly keysUsed: Map<string, number>;
  /** When each job to stop was last told to its worker, by the key of the worker's wait. */
  readonly stopsTold: Map<string, Map<string, number>>;
  readonly unansweredReports: UnansweredReports;
  /** The workers that Forebay started and that have not ended, by their ids. */
  readonly managed: Map<string, ManagedWorker>;
  /** The workers that each endpoint lacks, by its id. */
  readonly shortages: Map<string, Shortage>;
  /** Why Forebay cannot start workers from a template, in one sentence; undefined when it can. */
  readonly refusal: (template: Template) => string | undefined;
  /** No job is taken in or handed out any more. */
  isStopping: boolean;
  /** Managed workers that asked to be replaced by a fresh one. */
  readonly toReplace: Set<string>;
  /** Managed workers that are being stopped. */
  readonly draining: Set<string>;
}

export interface EngineParts {
  readonly server: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly durations: Durations;
  /** Bytes. */
  readonly chunkLimit: number;
  readonly log: Log;
  readonly secrets: SecretBox;
  readonly randomFill: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly refusal: (template: Template) => string | undefined;
}

export async function createEngine(parts: EngineParts): Promise<Engine> {
  const { randomFill, ...given } = parts;
  const { shared } = given.store;
  const load = workerLoad();
  const managed: Engine["managed"] = new Map();
  const shortages: Engine["shortages"] = new Map();
  const fleet = () => fleetWords({ managed, shortages });
  const engine: Engine = {
    ...given,
    peers: shared === undefined ? undefined : openPeers({ ...given, shared, fleet }),
    configuration: await loadConfiguration(parts.store),
    jobIds: jobIds(randomFill),
    parkedTakes: parkedTakes(parts.clock, load),
    queueHints: queueHints(),
    workerLoad: load,
    waits: waits(parts.clock),
    observers: new Set(),
    contactWritten: new Map(),
    keysUsed: new Map(),
    stopsTold: new Map(),
    unansweredReports: unansweredReports(parts.clock, parts.durations.rehandDelay),
    managed,
    shortages,
    isStopping: false,
    toReplace: new Set(),
    draining: new Set(),
  };
  wakeOnSignals(engine);
  return engine;
}
