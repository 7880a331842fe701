/** The states of a job that has not ended, and of one that has (docs/states.md). */
export type UnfinishedStatus = "IN_QUEUE" | "IN_PROGRESS";
export type EndedStatus = "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT";
export type JobStatus = UnfinishedStatus | EndedStatus;

/** What `run`, `retry` and `cancel` answer. */
export interface JobTicket {
  readonly id: string;
  readonly status: JobStatus;
}

interface Times {
  readonly id: string;
  /** ms from the last queueing to the hand-out; once handed out. */
  readonly delayTime?: number;
  /** ms from the hand-out to the end of the last attempt; once ended. */
  readonly executionTime?: number;
  /** Once handed out. */
  readonly workerId?: string;
  /** How often the job was lost at a worker; only above 0. */
  readonly retries?: number;
}

export interface UnfinishedJob extends Times {
  readonly status: UnfinishedStatus;
  /** The newest progress value that the worker told; only while it runs. */
  readonly progress?: unknown;
}

export interface CompletedJob<Output = unknown> extends Times {
  readonly status: "COMPLETED";
  /** Absent when the worker sent none. */
  readonly output?: Output;
}

export interface FailedJob extends Times {
  readonly status: "FAILED" | "CANCELLED" | "TIMED_OUT";
  /** Why it failed or timed out, as text. */
  readonly error?: string;
}

export type EndedJob<Output = unknown> = CompletedJob<Output> | FailedJob;

/** The record of a job; `status` tells which kind. */
export type Job<Output = unknown> = UnfinishedJob | EndedJob<Output>;

export function hasEnded<Output>(job: Job<Output>): job is EndedJob<Output> {
  return isEnd(job.status);
}

export function isEnd(status: JobStatus): status is EndedStatus {
  return status !== "IN_QUEUE" && status !== "IN_PROGRESS";
}

/** A piece that the worker put out while the job ran. */
export interface Chunk<Output = unknown> {
  /**
   * Its number, from 0 on. It goes back when the worker was lost and the job runs again: what was read before
   * comes anew.
   */
  readonly index: number;
  readonly output: Output;
  /** Only of workers that send some. */
  readonly metrics?: unknown;
  /** Which piece it is, from 1 on, of an output above 1 MB that is no text: its JSON, in `parts` strings. */
  readonly part?: number;
  readonly parts?: number;
}

/** A job without its input and result; its times count up to now where they have not ended. */
export interface JobRequest extends Times {
  readonly status: JobStatus;
}

export interface RequestsPage {
  /** The newest first. Where a state was asked for there can be none, and yet a next page. */
  readonly requests: readonly JobRequest[];
  /** The `cursor` of the next page; absent on the last one. */
  readonly nextCursor?: string;
}

export interface PurgeResult {
  /** How many waiting jobs were removed. */
  readonly removed: number;
  readonly status: "completed";
}

export interface Health {
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly inProgress: number;
    readonly inQueue: number;
    readonly retried: number;
  };
  readonly workers: {
    readonly idle: number;
    readonly running: number;
    readonly ready: number;
    readonly initializing: number;
    readonly throttled: number;
    readonly unhealthy: number;
  };
}

/** The job that an answer tells of: the dialect of the SDKs has the progress where the output will be. */
export function jobOf<Output>(body: Readonly<Record<string, unknown>>): Job<Output> {
  const { output, ...rest } = body;
  const hasProgress = body["status"] === "IN_PROGRESS" && output !== undefined;
  // The server's records have the members that docs/api.md promises.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (hasProgress ? { ...rest, progress: output } : body) as unknown as Job<Output>;
}
