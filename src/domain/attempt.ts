import type { JobState } from "./transitions.ts";

/** How it is with one hand-out of a job, or how it ended (design, row 23). */
export const ATTEMPT_OUTCOMES = [
  "RUNNING",
  "COMPLETED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
  /** Its worker was lost with it. */
  "LOST",
  /** No worker has confirmed that it got the job. */
  "UNDELIVERED",
  /** The server took it back: it stopped the worker, or could not hand the job over. */
  "RETURNED",
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** How an attempt ended that brought no result. */
export interface AttemptEnd {
  readonly outcome: Extract<AttemptOutcome, "LOST" | "UNDELIVERED" | "RETURNED">;
  readonly error: string;
  /** How its worker ended, such as `exit code 1`; undefined where that was not it, or is not known. */
  readonly exit: string | undefined;
}

/** Why an attempt is over that still ran when the result of an earlier one came. */
export const OVERTAKEN = "the result of an earlier attempt arrived";

/** An attempt that is over. All times are milliseconds since 1970. */
export interface EndedAttempt {
  readonly outcome: AttemptOutcome;
  readonly queuedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly worker: string | undefined;
  /** The place of the job in the queue, which a retry gives anew. */
  readonly position: number;
  /** How many it had put out. */
  readonly chunks: number;
  /** The beginning of it, where there is one. */
  readonly error?: string | undefined;
  /** How its worker ended, where that was it. */
  readonly exit?: string | undefined;
}

/** The start of the worker whose first job this was, and that was started while the job waited. */
export interface ColdStart {
  /** When Forebay asked for the start, ms since 1970. */
  readonly wantedAt: number;
  /** How long its image was fetched, ms. */
  readonly pullMs?: number | undefined;
  /** From there until it ran, ms. */
  readonly bootMs?: number | undefined;
  /** From there until it first called, ms. */
  readonly firstPollMs?: number | undefined;
}

/** What is kept of an attempt beside the row of its job. */
export interface KeptAttempt {
  /** Its number: 1, 2, 3 … */
  readonly attempt: number;
  /** Undefined as long as the row of the job tells of the attempt. */
  readonly ended: EndedAttempt | undefined;
  readonly coldStart: ColdStart | undefined;
  /** What its worker reported beside its error: JSON as it was sent. */
  readonly output: string | undefined;
}

/** So many are kept of a job, the newest. */
export const KEPT_ATTEMPTS = 50;

/** What is reported beside an error is kept up to so many bytes, or not at all. */
export const KEPT_OUTPUT_BYTES = 16_384;

/** So many bytes of what an attempt says as its error are kept. */
export const KEPT_ERROR_BYTES = 2_048;

/** The outcome of the attempt of which the row of its job tells. */
export function outcomeIn(state: JobState): AttemptOutcome {
  return state === "IN_PROGRESS" || state === "IN_QUEUE" ? "RUNNING" : state;
}
