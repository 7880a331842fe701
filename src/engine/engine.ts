import type { AccountLimits } from "../domain/account-limits.ts";
import type { Clock } from "../domain/clock.ts";
import type { Durations } from "../domain/durations.ts";
import type { FleetReport } from "../domain/fleet-report.ts";
import type { Log } from "../domain/log.ts";
import type { Meters } from "../domain/meters.ts";
import type { ReleaseMembers } from "../domain/release.ts";
import type { Template } from "../domain/template.ts";
import type { WorkerLogs } from "../domain/worker-logs.ts";
import type { Signal, Store } from "../store/store.ts";
import type { JobIds } from "./job-ids.ts";
import type { SharedReading } from "./follow-reading.ts";
import type { ManagedWorker } from "./managed-worker.ts";
import type { Losses } from "./losses.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import type { Peers } from "./peers.ts";
import type { QueuedBytes } from "./queued-bytes.ts";
import type { QueueHints } from "./queue-hints.ts";
import type { Configuration } from "./records/configuration.ts";
import type { KeyRotation } from "./rotate-keys.ts";
import type { SecretBox } from "./secret-box.ts";
import type { Statistics } from "./statistics/statistics.ts";
import type { UnansweredReports } from "./unanswered-reports.ts";
import type { Waits } from "./waits.ts";
import type { WorkerLoad } from "./worker-load.ts";

/** What every verb works with. A verb is one file beside this one; only verbs call the store. */
export interface Engine {
  /** Names this server among those that share its data. */
  readonly server: string;
  readonly store: Store;
  /** Undefined when no other server works on the same data. */
  readonly peers: Peers | undefined;
  readonly clock: Clock;
  readonly durations: Durations;
  /** What the workers that this server started have printed. */
  readonly workerLogs: WorkerLogs;
  /** How many bytes the chunks of one attempt may have together. */
  readonly chunkLimit: number;
  /** How much one account can have. */
  readonly limits: AccountLimits;
  /** What waits, by endpoint and by account. */
  readonly queuedBytes: QueuedBytes;
  readonly log: Log;
  /** What this server counts of itself. */
  readonly meters: Meters;
  readonly secrets: SecretBox;
  /** Keeps these keys durably, the newest first; undefined where the operator says the keys. */
  readonly keepKeys: ((keys: readonly string[]) => Promise<void>) | undefined;
  /** The rotation of the keys that is under way. */
  rotation: Promise<KeyRotation> | undefined;
  readonly configuration: Configuration;
  readonly jobIds: JobIds;
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
  readonly queueHints: QueueHints;
  readonly workerLoad: WorkerLoad;
  /** What has happened to jobs, counted. */
  readonly statistics: Statistics;
  /** What is being followed, by the key of its waits. */
  readonly readings: Map<string, SharedReading>;
  /** Calls that wait for something to happen to a job, or for a job that a worker must stop. */
  readonly waits: Waits;
  /** Each is told of every change that was committed. A hint: it may be lost, and everything can be read. */
  readonly observers: Set<(signal: Signal) => void>;
  /**
   * When each worker's contact was last written, so that it is written once a second and not at each call.
   */
  readonly contactWritten: Map<string, number>;
  /** When each worker last made another call than a ping here; empty on a server that shares no data. */
  readonly lastCalls: Map<string, number>;
  /** Of workers that share a token, whether they have pinged this server. */
  readonly hasPinged: Map<string, boolean>;
  /** How many calls each worker of the public protocol has open here, for a job or one to stop. */
  readonly openCalls: Map<string, number>;
  /** When keys were used since that was last written, by their ids. */
  readonly keysUsed: Map<string, number>;
  /** When each job to stop was last told to its worker, by the key of the worker's wait. */
  readonly stopsTold: Map<string, Map<string, number>>;
  readonly unansweredReports: UnansweredReports;
  /** The workers that Forebay started and that have not ended, by their ids. */
  readonly managed: Map<string, ManagedWorker>;
  /** How it is with the workers of each endpoint at which this server has looked, by its id. */
  readonly fleetReports: Map<string, FleetReport>;
  /** Endpoints whose workers are to be looked at before the next look at all of them. */
  readonly fleetNews: Set<string>;
  /** How long it takes from the order to start a worker until it calls, ms on average, by endpoint. */
  readonly coldStarts: Map<string, number>;
  /** How the workers ended at which each unfinished job was lost, by its endpoint and id. */
  readonly losses: Losses;
  /** Why Forebay cannot start workers from a template, in one sentence; undefined when it can. */
  readonly refusal: (template: Template) => string | undefined;
  /** Why this address can never be called, in one sentence; undefined when it may be. */
  readonly webhookRefusal: (address: string) => string | undefined;
  /** Whether Forebay starts workers of this image; others come by themselves. */
  readonly runs: (imageName: string) => boolean;
  /** What of these members a worker is started from: a change of anything else begins no release. */
  readonly startsFrom: (members: ReleaseMembers) => { readonly env: ReleaseMembers["env"] };
  /** No job is taken in or handed out any more. */
  isStopping: boolean;
  /** Managed workers that are to be replaced by a fresh one, and get no more jobs. */
  readonly toReplace: Set<string>;
  /** Managed workers that are being stopped. */
  readonly draining: Set<string>;
}
