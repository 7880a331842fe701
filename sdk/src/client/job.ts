/** The states of a job that has not ended, and of one that has (docs/states.md). */
export type UnfinishedStatus = "IN_QUEUE" | "IN_PROGRESS";
export type EndedStatus = "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT";
export type JobStatus = UnfinishedStatus | EndedStatus;

/** The answer of `run`, `retry` and `cancel`. */
export interface JobTicket {
  readonly id: string;
  readonly status: JobStatus;
}

interface Times {
  readonly id: string;
  /** From the last queueing to the hand-out, ms; absent before it. */
  readonly delayTime?: number;
  /** From the hand-out to the end of the last attempt, ms; absent before the end. */
  readonly executionTime?: number;
  /** Absent before the hand-out. */
  readonly workerId?: string;
  /** How often the job was lost by a worker; absent if never. */
  readonly retries?: number;
}

export interface UnfinishedJob extends Times {
  readonly status: UnfinishedStatus;
  /** The newest progress value of the worker, while the job runs. */
  readonly progress?: unknown;
}

export interface CompletedJob<Output = unknown> extends Times {
  readonly status: "COMPLETED";
  /** Absent if the worker sent none. */
  readonly output?: Output;
}

export interface FailedJob extends Times {
  readonly status: "FAILED" | "CANCELLED" | "TIMED_OUT";
  /** Why it failed or timed out, as text. */
  readonly error?: string;
}

export type EndedJob<Output = unknown> = CompletedJob<Output> | FailedJob;

/** The record of a job. `status` says which kind. */
export type Job<Output = unknown> = UnfinishedJob | EndedJob<Output>;

export function hasEnded<Output>(job: Job<Output>): job is EndedJob<Output> {
  return isEnd(job.status);
}

export function isEnd(status: JobStatus): status is EndedStatus {
  return status !== "IN_QUEUE" && status !== "IN_PROGRESS";
}

/** A part of the output that the worker sent while the job ran. */
export interface Chunk<Output = unknown> {
  /**
   * Its number, from 0. It goes back if the worker was lost and the job runs again: then all chunks come
   * again.
   */
  readonly index: number;
  readonly output: Output;
  /** Only some workers send metrics. */
  readonly metrics?: unknown;
  /**
   * The number of this part, from 1, if an output above 1 MB that is not a text was split. The `parts`
   * strings together are its JSON.
   */
  readonly part?: number;
  readonly parts?: number;
}

/** A job without its input and result. Times that have not ended count up to now. */
export interface JobRequest extends Times {
  readonly status: JobStatus;
}

export interface RequestsPage {
  /** Newest first. If a state was requested, a page can be empty although there is a next page. */
  readonly requests: readonly JobRequest[];
  /** The `cursor` of the next page; absent on the last page. */
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

/** The job of an answer. Of a running job, the API has the progress in `output`. */
export function jobOf<Output>(body: Readonly<Record<string, unknown>>): Job<Output> {
  const { output, ...rest } = body;
  const hasProgress = body["status"] === "IN_PROGRESS" && output !== undefined;
  // The server's records have the members that docs/api.md promises.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (hasProgress ? { ...rest, progress: output } : body) as unknown as Job<Output>;
}
