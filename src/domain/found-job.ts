import type { HistoryRecord } from "./history.ts";
import { SYNC_PREFIX } from "./ids.ts";
import type { Job } from "./job.ts";
import { tagsIn } from "./tags.ts";
import type { JobState, UnfinishedState } from "./transitions.ts";
import { versionOf } from "./worker.ts";

/** A job of any state, as the search over all endpoints shows it. Times are ms since 1970. */
export interface FoundJob extends Pick<HistoryRecord, "endpoint" | "id" | "queuedAt" | "tags"> {
  readonly state: JobState;
  /** When the newest attempt was handed out; undefined while the job waits, and if it never ran. */
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly worker: string | undefined;
  readonly attempts: number;
  /** The beginning of its error. */
  readonly error: string | undefined;
  /** What only the history knows; undefined for a job that has not ended. */
  readonly past: Pick<HistoryRecord, "inputStart" | "inputBytes" | "outputBytes"> | undefined;
  /** Whether its input can be read. */
  readonly hasInput: boolean;
}

/** A job as the queue has it. */
export function foundLive(job: Job, error: string | undefined): FoundJob {
  const { endpoint, id, state, queuedAt, takenAt: startedAt, endedAt, worker, attempt, tags } = job;
  const times = { queuedAt, startedAt, endedAt };
  return {
    endpoint,
    id,
    state,
    ...times,
    worker,
    attempts: attempt,
    tags: tagsIn(tags),
    error,
    past: undefined,
    hasInput: true,
  };
}

/** A job as the history has it. */
export function foundPast(record: HistoryRecord): FoundJob {
  const { inputStart, inputBytes, outputBytes, keepsInput, ...others } = record;
  return { ...others, past: { inputStart, inputBytes, outputBytes }, hasInput: keepsInput };
}

/** How long the newest attempt ran, or has run until `now`, ms; undefined if there was none. */
export function ranFor({ startedAt, endedAt }: FoundJob, now: number): number | undefined {
  // After a restart the time can be up to a second before the last stored one.
  return startedAt === undefined ? undefined : Math.max(0, (endedAt ?? now) - startedAt);
}

/** Which jobs are looked for. All conditions must hold; undefined: any. */
export interface JobFilter {
  /** Ids of endpoints. */
  readonly endpoints: readonly string[];
  readonly states: readonly JobState[] | undefined;
  /** Ended at this time or later, ms since 1970; a job that has not ended counts by its submission. */
  readonly from: number | undefined;
  /** The same, before this time. */
  readonly to: number | undefined;
  readonly worker: string | undefined;
  /** Of the release of the worker. */
  readonly version: number | undefined;
  /** Is in the error; upper and lower case of A to Z are the same. */
  readonly error: string | undefined;
  /** The id begins so, with or without `sync-`. */
  readonly idPrefix: string | undefined;
  readonly tag: string | undefined;
  /** The newest attempt ran at least so long, ms. */
  readonly minMs: number | undefined;
}

/**
 * Whether a job that has not ended, and is in one of the states and of one of the endpoints, is meant by a
 * filter without an error.
 */
export function isMeant(
  job: Job & { readonly state: UnfinishedState },
  filter: JobFilter,
  at: Times,
): boolean {
  const { from = 0, to = Infinity, worker, version, idPrefix = "", tag, minMs = 0 } = filter;
  return (
    at.submittedAt >= from &&
    at.submittedAt < to &&
    (worker === undefined || job.worker === worker) &&
    (version === undefined || (job.worker !== undefined && versionOf(job.worker) === version)) &&
    (job.id.startsWith(idPrefix) || job.id.startsWith(SYNC_PREFIX + idPrefix)) &&
    (tag === undefined || tagsIn(job.tags).includes(tag)) &&
    (minMs === 0 || (job.takenAt !== undefined && at.now - job.takenAt >= minMs))
  );
}

interface Times {
  readonly submittedAt: number;
  readonly now: number;
}
