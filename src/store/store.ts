import type { KeptAttempt } from "../domain/attempt.ts";
import type { Delivery, DeliveryState } from "../domain/delivery.ts";
import type { HistoryFilter, HistoryPage, HistoryPlace, HistoryRecord } from "../domain/history.ts";
import type { Job, JobRecord } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { Soon } from "../domain/soon.ts";
import type { SlotWidth, StatisticsSlot } from "../domain/statistics.ts";
import type { JobState, UnfinishedState } from "../domain/transitions.ts";
import type { AllocatedDevice } from "./allocations.ts";
import type { BackupOrder } from "./backup/manifest.ts";
import type { RecordChange } from "./configuration-record.ts";
import type { PastWorker } from "./past-workers.ts";
import type { SealedPage, SealedPlace, SealedTable } from "./sealed-values.ts";
import type { Signal } from "./signals.ts";
import type { Answers, Step } from "./steps.ts";

/**
 * What durable means. A step (steps.ts) is plain data and so is its answer: `apply` takes the steps that
 * belong together, and resolves when all of them are durable. Steps of one call run in their order; each is
 * atomic and fails alone. Steps in flight at the same time share a commit. No step holds a rule: states come
 * from `domain/transitions.ts`, and limits, deadlines and guards come as values.
 */
export interface Store {
  /** Undefined when no other server works on the same data. */
  readonly shared: SharedData | undefined;

  /**
   * Begins a backup while everything goes on, as the pieces of a tar archive. Undefined where the data is not
   * in a directory. Throws BACKUP_RUNNING and STORAGE_FULL; while it is read, OperatorFault.
   */
  readonly backup: ((order: BackupOrder) => AsyncGenerator<Uint8Array>) | undefined;

  /**
   * Throws STORAGE_FULL when there is no room. Then nothing of the call has happened, and the payloads that
   * it names are removed, because others need the room. Throws STORAGE_UNAVAILABLE when a database elsewhere
   * does not answer. Then it is not known whether anything has happened.
   */
  apply<const Steps extends readonly Step[]>(steps: Steps, now: number): Promise<Answers<Steps>>;

  /** The job with its result, or undefined when there is none. */
  job(endpoint: string, id: string): Promise<JobRecord | undefined>;
  /**
   * All that is known of how the job goes, in one snapshot, or undefined when there is none. Of the jobs that
   * wait before it at most `looked` are counted.
   */
  timeline(endpoint: string, id: string, looked: number): Promise<StoredTimeline | undefined>;
  /** What its worker gets of the submission, without `s3Config`; undefined when there is no such job. */
  body(endpoint: string, id: string): Promise<Payload | undefined>;
  /** Unfinished jobs whose `dueAt` has passed, the longest overdue first. */
  due(now: number, limit: number): Promise<Job[]>;
  /**
   * Running jobs of workers that have not called since `before`: of those that ping, and of those that have
   * hung up, which keep only jobs that were handed out since.
   */
  silent(before: number, limit: number): Promise<SilentJob[]>;
  /** Running jobs that the worker holds. */
  held(endpoint: string, worker: string): Promise<Job[]>;
  /**
   * Jobs of the endpoint in `state` whose position is below `before`; the one with the highest position
   * first.
   */
  unfinished(endpoint: string, state: UnfinishedState, before: number, limit: number): Promise<Job[]>;
  /**
   * All jobs of the endpoint, or only those in `state`, in the order of the places of their ids
   * (`domain/ids.ts`), compared by bytes: those below `before`, the highest first. At most `limit` jobs, of
   * the first `looked` ones that there are.
   */
  submitted(
    endpoint: string,
    state: JobState | undefined,
    before: string | undefined,
    limit: number,
    looked: number,
  ): Promise<SubmittedJobs>;
  /**
   * Deliveries of the endpoint, or only those in `state`, whose ids are below `before`, the highest first. At
   * most `limit`, of the first `looked` ones that there are.
   */
  deliveries(
    endpoint: string,
    state: DeliveryState | undefined,
    before: string | undefined,
    limit: number,
    looked: number,
  ): Promise<DeliveriesPage>;
  delivery(endpoint: string, id: string): Promise<Delivery | undefined>;
  /**
   * Records of finished jobs below the place `before`, the newest first. At most `limit`, of the first
   * `looked` ones, or of up to 50 of each endpoint. A short page can have another one behind it.
   */
  history(
    filter: HistoryFilter,
    before: HistoryPlace | undefined,
    limit: number,
    looked: number,
  ): Promise<HistoryPage>;
  pastJob(endpoint: string, id: string): Promise<HistoryRecord | undefined>;
  /** Endpoints with records, also those that are gone. */
  pastEndpoints(): Promise<string[]>;
  /** What the worker got of the submission of a job in the history, if it is kept. */
  pastInput(endpoint: string, id: string): Promise<Payload | undefined>;
  /** Encrypted values in the first `looked` rows of the table behind the place `after`, of all endpoints. */
  sealed(table: SealedTable, after: SealedPlace | undefined, looked: number): Promise<SealedPage>;
  /** Ids of ended jobs that the worker still runs, as far as it is known. */
  stopping(endpoint: string, worker: string): Promise<string[]>;
  /**
   * When the oldest jobs were queued that wait and are not of low priority, in the order of the queue: at
   * most `limit` of them, of the first `looked` jobs that wait.
   */
  waitingSince(endpoint: string, limit: number, looked: number): Promise<number[]>;
  /** What waits on each endpoint on which a job waits. */
  queues(): Promise<Queue[]>;
  /** When the job at the front of each queue was queued last, by endpoint, of those on which a job waits. */
  fronts(endpoints: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What each server has counted on the endpoint, in slots of this width that began at `from` or later. */
  statistics(endpoint: string, width: SlotWidth, from: number): Promise<StatisticsSlot[]>;
  /** The counts of all endpoints, by their ids. */
  allCounts(): Promise<ReadonlyMap<string, Counts>>;
  /** Undefined when there is no such endpoint. */
  counts(endpoint: string): Promise<Counts | undefined>;
  /** Workers of the endpoint that were last seen at `since` or later, or that hold a job. */
  workers(endpoint: string, since: number): Promise<WorkerContact[]>;
  /** The same of many endpoints at once, by endpoint, of those that have any. */
  workersOf(
    endpoints: readonly string[],
    since: number,
  ): Promise<ReadonlyMap<string, readonly WorkerContact[]>>;
  /** Configuration records put or removed after change number `change`, in order. 0 gives all there are. */
  changesSince(change: number): Promise<RecordChange[]>;
  /** The devices of all workers, in the order of their UUIDs, compared by bytes. */
  allocations(): Promise<AllocatedDevice[]>;
  /** Those of these workers that are past, in any order. */
  pastWorkers(endpoint: string, ids: readonly string[]): Promise<PastWorker[]>;
  /** The largest time that any step was given, or up to a second before it; the clock goes on from there. */
  latestTime(): Promise<number>;

  /** Makes bytes durable before a step names them; small ones are returned as they are, at once. */
  writePayload(bytes: Uint8Array): Soon<Payload>;
  /** Throws JOB_NOT_FOUND when it is gone, and a fault when it is not as large as it was. */
  readPayload(payload: Payload): Promise<Uint8Array>;
  /** Removes a payload that was written and that no step has named. */
  discardPayload(payload: Payload): Promise<void>;

  /**
   * Gives disk space that nothing uses any more back to the file system, a little with each call, and only
   * when the store has little else to do. To be called once a second.
   */
  releaseSpace(): Promise<void>;

  /** Bytes of the database; undefined where it lies in memory. */
  size(): Promise<number | undefined>;

  /**
   * Called after each commit with what it changed. `isOwn`: this store has committed it, and then each change
   * comes exactly once. Signals of other servers are hints: they can be lost, and everything in them can be
   * read.
   */
  onSignals(listener: (signals: readonly Signal[], isOwn: boolean) => void): void;
  close(): Promise<void>;
}

export interface StoredTimeline {
  readonly job: JobRecord;
  readonly lowPriority: boolean;
  /** From a submit or retry on, ms. */
  readonly ttl: number;
  /** Of the newest attempt. */
  readonly chunks: number;
  readonly chunkBytes: number;
  /** A webhook is called at its end. */
  readonly hasWebhook: boolean;
  /** The worker that does not get the job before `until`. */
  readonly barred: { readonly worker: string; readonly until: number } | undefined;
  /** The oldest first, at most KEPT_ATTEMPTS; the newest is among them only if more is known of it. */
  readonly attempts: readonly KeptAttempt[];
  /** Jobs that wait before it; 0 when it does not wait itself. */
  readonly ahead: number;
}

export interface SubmittedJobs {
  readonly jobs: readonly Job[];
  /** The next page begins below this place; undefined if there is none. */
  readonly next: string | undefined;
}

export interface DeliveriesPage {
  readonly deliveries: readonly Delivery[];
  /** The next page begins below this id; undefined if there is none. */
  readonly next: string | undefined;
}

/** Data of several servers. Signals of the others can come late or never, so each server also polls. */
export interface SharedData {
  /** The time of the database, by which all its servers go. */
  time(): Promise<number>;
  /** Gives the hold `name` to `server` until `until`, and answers true. False if another server has it. */
  hold(name: string, server: string, now: number, until: number): Promise<boolean>;

  /** Tells the others that `server` lives until `until`, with `word`, which replaces the last one. */
  announce(server: string, word: string, until: number): Promise<void>;
  /** The last word of each server, also of servers that live no longer. */
  announcements(): Promise<ServerWord[]>;
  /** Removes the word of the server, unless it has lived since `before`. */
  forgetServer(server: string, before: number): Promise<void>;

  /** How much of an operation the servers have let in together; undefined if no server has written that. */
  rate(subject: string, operation: string): Promise<SharedRate | undefined>;
  /**
   * Writes it if the stored version is the one before, the first being 1. If not, another server was faster,
   * and the answer is false. A crash of the database can lose it.
   */
  putRate(subject: string, operation: string, rate: SharedRate): Promise<boolean>;
  /** Removes those that expired before `before`. */
  forgetRates(before: number): Promise<void>;

  /** Everything is encrypted with the key with this SHA-256: servers need no other one. */
  keepKey(digest: string): Promise<void>;

  /** Jobs of these workers that have ended and that the worker still runs, as far as it is known. */
  stopping(workers: readonly WorkerName[]): Promise<StopOf[]>;
  /** The workers that have hung up, and made no call but pings since, as far as that is stored. */
  hangUps(): Promise<HangUp[]>;
}

export interface HangUp extends WorkerName {
  /** When that was, or when the worker was last seen before. */
  readonly at: number;
}

export interface ServerWord {
  readonly server: string;
  readonly word: string;
  readonly until: number;
}

export interface SharedRate {
  readonly version: number;
  readonly body: string;
  /** When it expires. */
  readonly until: number;
}

export interface WorkerName {
  readonly endpoint: string;
  readonly worker: string;
}

export interface StopOf extends WorkerName {
  /** Of the job. */
  readonly id: string;
}

export type Queue = Pick<Counts, "queued" | "queuedLowPriority"> & { readonly endpoint: string };

export interface Counts {
  readonly queued: number;
  /** Those of `queued` that do not count for scaling. */
  readonly queuedLowPriority: number;
  /** Sum of the sizes of the bodies and secrets of `queued`, bytes. */
  readonly queuedBytes: number;
  readonly running: number;
  readonly completed: number;
  /** FAILED and TIMED_OUT. */
  readonly failed: number;
  /** Returns to the queue by retry and by lost worker. */
  readonly retried: number;
  /** Late, duplicate and foreign results, chunks and progress, which changed nothing. */
  readonly ignored: number;
}

export interface SilentJob {
  readonly job: Job;
  /** Its worker has closed all its calls, and made none but pings since. */
  readonly hasHungUp: boolean;
}

export interface WorkerContact {
  readonly worker: string;
  /** It has a token of its own, or has pinged. */
  readonly pings: boolean;
  /** It has closed all its calls, and made none but pings since. */
  readonly hasHungUp: boolean;
  /** What its pings list although it does not run it, and since when; of several the oldest. */
  readonly stray: { readonly job: string; readonly since: number } | undefined;
  readonly lastContact: number;
  readonly running: number;
  /** Those of `running` that do not count for scaling. */
  readonly runningLowPriority: number;
}
