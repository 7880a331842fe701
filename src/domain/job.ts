import type { Payload } from "./payload.ts";
import type { TagsColumn } from "./tags.ts";
import type { JobState } from "./transitions.ts";

/**
 * A job as the store keeps it, without its payloads. All times are milliseconds since 1970, all durations
 * milliseconds.
 */
export interface Job {
  readonly endpoint: string;
  readonly id: string;
  readonly state: JobState;
  /**
   * Its place in the queue: lower goes first. Given at submit and at retry; a job that comes back keeps it.
   */
  readonly position: number;
  /** Hand-outs so far. The fence: only the worker of the newest attempt may report, but for a late result. */
  readonly attempt: number;
  /** Attempts lost after proof of receipt, since the last submit or retry. */
  readonly losses: number;
  /** Hand-outs that came back without proof of receipt, since the last submit or retry. */
  readonly undelivered: number;
  /** Worker of the newest attempt while it runs and after it ended; undefined while the job waits. */
  readonly worker: string | undefined;
  /** Whether the worker has shown since the hand-out that it got the job. */
  readonly proved: boolean;
  /** It runs at a worker that has not pinged since the hand-out and shares its token: it has no lease. */
  readonly isSilent: boolean;
  /** Successive calls of the worker that should have shown the job and did not. */
  readonly denials: number;
  /** When it was last put into the queue. */
  readonly queuedAt: number;
  /** When the newest attempt was handed out; undefined while the job waits. */
  readonly takenAt: number | undefined;
  readonly endedAt: number | undefined;
  /** When its ttl ends. */
  readonly expiresAt: number;
  readonly executionTimeout: number;
  /** How long the record stays after the end at least; its endpoint can say longer. */
  readonly retention: number;
  /** When it next needs attention: the earliest of its deadlines. */
  readonly dueAt: number;
  /** Read by `tagsIn` where they are shown: a hand-out and a result parse nothing. */
  readonly tags: TagsColumn;
}

/** What a job brought back, beside its row. */
export interface JobResult {
  /** JSON as the worker sent it; only of a COMPLETED job, and only if the worker sent one. */
  readonly output: Payload | undefined;
  /** A JSON string; only of a FAILED or TIMED_OUT job. */
  readonly error: Payload | undefined;
  /** The newest progress value, JSON as sent; only while IN_PROGRESS. */
  readonly progress: Payload | undefined;
}

export type JobRecord = Job & JobResult;

/** A job handed to a worker, with all it needs to run it. */
export interface TakenJob {
  readonly id: string;
  readonly attempt: number;
  /** JSON object: the members of the submission that go to the worker, without those below and `id`. */
  readonly body: Payload;
  /** `s3Config`, sealed; undefined if the submission had none. */
  readonly secret: Payload | undefined;
  /** `webhook`, sealed; undefined if the submission had none. */
  readonly webhook: Uint8Array | undefined;
}
