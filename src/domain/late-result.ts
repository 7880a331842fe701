import { type EndedAttempt, KEPT_ATTEMPTS } from "./attempt.ts";

/** An attempt of a job that was given back. */
export interface GivenBackAttempt {
  readonly attempt: number;
  readonly ended: EndedAttempt;
}

/** The facts about an unfinished job that decide whether a late result counts. */
export interface LateSubject {
  readonly worker: string;
  /** The place of the job in the queue: attempts of the same run have the same. */
  readonly position: number;
  readonly executionTimeout: number;
  readonly expiresAt: number;
  /** Hand-outs so far. */
  readonly attempt: number;
  /** Of the newest attempt. */
  readonly chunks: number;
}

/**
 * The attempt whose result a worker reports after the attempt was given back; undefined: the result does not
 * count (decision 0033). It counts in the run of its attempt, within the deadline of that, and if no attempt
 * of the run has put out anything: readers would have seen chunks of another one.
 */
export function lateAttempt(
  { worker, position, executionTimeout, expiresAt, attempt, chunks }: LateSubject,
  kept: readonly GivenBackAttempt[],
  now: number,
): GivenBackAttempt | undefined {
  const run = kept.filter(({ ended }) => ended.position === position);
  // It is not known what attempts yielded that are no longer stored.
  const isWhole = attempt <= KEPT_ATTEMPTS || run.length < kept.length;
  if (!isWhole || chunks > 0 || expiresAt <= now || run.some(({ ended }) => ended.chunks > 0))
    return undefined;
  return run.findLast(({ ended }) => ended.worker === worker && ended.startedAt + executionTimeout > now);
}
