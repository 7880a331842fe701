import { type EndState, isEnd, type JobState } from "./history.ts";

/** One job as docs/states.md describes it, without the time. */
export interface Register {
  readonly phase: "absent" | JobState | "gone";
  /** So many attempts have begun at least: somebody can have got the job without having seen it. */
  readonly attempt: number;
  /** Whether somebody saw the hand-out of the attempt that runs: then `attempt` is its number. */
  readonly isSeen: boolean;
  /** The workers that were seen to get the job. */
  readonly workers: readonly string[];
  /** Of its worker; null: the server ended the job. */
  readonly result: string | null;
  /** Of the end, as soon as somebody read it. */
  readonly record: string | undefined;
}

export const ABSENT: Register = {
  phase: "absent",
  attempt: 0,
  isSeen: false,
  workers: [],
  result: null,
  record: undefined,
};

/** What can happen to a job although nobody in the history asked for it or saw it. */
export interface Grants {
  readonly mayTimeOut: boolean;
  readonly mayExpire: boolean;
}

export function isOpen({ phase }: Register): boolean {
  return phase === "IN_QUEUE" || phase === "IN_PROGRESS";
}

export function submitted(job: Register): Register | undefined {
  return job.phase === "absent" ? { ...job, phase: "IN_QUEUE" } : undefined;
}

export function taken(job: Register, attempt?: number, worker?: string): Register | undefined {
  if (job.phase !== "IN_QUEUE" || (attempt !== undefined && attempt <= job.attempt)) return undefined;
  const isKnown = worker === undefined || job.workers.includes(worker);
  const workers = isKnown ? job.workers : [...job.workers, worker].toSorted();
  return {
    ...job,
    phase: "IN_PROGRESS",
    attempt: attempt ?? job.attempt + 1,
    isSeen: true,
    workers,
  };
}

/** Whether this attempt, and nothing else, can report and send chunks. */
export function runs(job: Register, attempt: number): boolean {
  return job.phase === "IN_PROGRESS" && job.isSeen && job.attempt === attempt;
}

export interface Reported {
  readonly state: "COMPLETED" | "FAILED";
  readonly result: string;
  readonly attempt?: number;
  readonly worker?: string;
}

/**
 * Undefined: the report has no effect. One that names no attempt can be late (docs/states.md#late-results),
 * or its worker can have got the job again without having seen it.
 */
export function reported(job: Register, { state, result, attempt, worker }: Reported): Register | undefined {
  const hadIt = worker === undefined || job.workers.includes(worker);
  const counts = attempt === undefined ? isOpen(job) && hadIt : runs(job, attempt);
  return counts ? ended(job, state, result) : undefined;
}

/** A job that has ended stays what it is. */
export function cancelled(job: Register): Register | undefined {
  if (isOpen(job)) return ended(job, "CANCELLED", null);
  return job.phase === "absent" || job.phase === "gone" ? undefined : job;
}

export function isRetryable({ phase }: Register): boolean {
  return phase === "FAILED" || phase === "TIMED_OUT";
}

export function retried(job: Register): Register | undefined {
  if (!isRetryable(job)) return undefined;
  return { ...job, phase: "IN_QUEUE", result: null, record: undefined };
}

export function purged(job: Register): Register {
  return job.phase === "IN_QUEUE" ? { ...ABSENT, phase: "gone" } : job;
}

export interface Seen {
  readonly state: JobState | "gone";
  readonly result?: string | null | undefined;
  readonly record?: string | undefined;
}

/** The job as it was, if it is what somebody read; the first to read the record of an end says what it is. */
export function seen(job: Register, { state, result, record }: Seen): Register | undefined {
  if (job.phase !== state || (result !== undefined && job.result !== result)) return undefined;
  if (record === undefined || record === job.record) return job;
  return job.record === undefined ? { ...job, record } : undefined;
}

/**
 * The job as it is, and all that it can become while nobody looks. One attempt at most begins unseen: what
 * can happen after more of them can happen after one.
 */
export function unseen(start: Register, { mayTimeOut, mayExpire }: Grants): Register[] {
  const found = new Map([[keyOf(start), start]]);
  // A map is walked to its end also when it grows meanwhile.
  for (const job of found.values()) {
    const next: Register[] = [];
    if (job.phase === "IN_QUEUE" && job.attempt === start.attempt) {
      next.push({ ...job, isSeen: false, attempt: job.attempt + 1, phase: "IN_PROGRESS" });
    }
    if (job.phase === "IN_PROGRESS") {
      next.push({ ...job, isSeen: false, phase: "IN_QUEUE" }, ended(job, "FAILED", null));
    }
    if (mayTimeOut && isOpen(job)) next.push(ended(job, "TIMED_OUT", null));
    if (mayExpire && job.phase !== "gone" && job.phase !== "absent" && isEnd(job.phase)) {
      next.push({ ...ABSENT, phase: "gone" });
    }
    for (const other of next) found.set(keyOf(other), found.get(keyOf(other)) ?? other);
  }
  return [...found.values()];
}

export function keyOf(job: Register): string {
  return JSON.stringify(Object.values({ ...ABSENT, ...job }));
}

function ended(job: Register, phase: EndState, result: string | null): Register {
  return { ...job, phase, isSeen: false, result };
}
