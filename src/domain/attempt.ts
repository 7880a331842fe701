import type { JobState } from "./transitions.ts";

/** The state or the end of one hand-out of a job (design, row 23). */
export const ATTEMPT_OUTCOMES = [
  "RUNNING",
  "COMPLETED",
  "FAILED",
  "TIMED_OUT",
  "CANCELLED",
  /** Its worker was lost. */
  "LOST",
  /** No worker confirmed that it got the job. */
  "UNDELIVERED",
  /** The server took the job back: it stopped the worker, or could not hand the job over. */
  "RETURNED",
] as const;

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** The end of an attempt without a result. */
export interface AttemptEnd {
  readonly outcome: Extract<AttemptOutcome, "LOST" | "UNDELIVERED" | "RETURNED">;
  readonly error: string;
  /** How its worker ended, such as `exit code 1`; undefined if it did not end, or if that is not known. */
  readonly exit: string | undefined;
}

/** The reason of an attempt that still ran when the result of an earlier one arrived. */
export const OVERTAKEN = "the result of an earlier attempt arrived";

/** An attempt that has ended. All times are milliseconds since 1970. */
export interface EndedAttempt {
  readonly outcome: AttemptOutcome;
  readonly queuedAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly worker: string | undefined;
  /** The place of the job in the queue. A retry gives the job a new one. */
  readonly position: number;
  /** How many chunks it had yielded. */
  readonly chunks: number;
  /** The beginning of its error, if it has one. */
  readonly error?: string | undefined;
  /** How its worker ended, if that ended the attempt. */
  readonly exit?: string | undefined;
}

/** The start of a worker that was started while its first job waited. */
export interface ColdStart {
  /** When Forebay asked for the start, ms since 1970. */
  readonly wantedAt: number;
  /** How long its image was pulled, ms. */
  readonly pullMs?: number | undefined;
  /** From the end of the pull to the running worker, ms. */
  readonly bootMs?: number | undefined;
  /** From the running worker to its first call, ms. */
  readonly firstPollMs?: number | undefined;
}

/** What is stored of an attempt outside the row of its job. */
export interface KeptAttempt {
  /** Its number: 1, 2, 3 … */
  readonly attempt: number;
  /** Undefined while the row of the job has the attempt. */
  readonly ended: EndedAttempt | undefined;
  readonly coldStart: ColdStart | undefined;
  /** What its worker reported besides its error: JSON as it was sent. */
  readonly output: string | undefined;
}

/** How many attempts of a job are kept: the newest ones. */
export const KEPT_ATTEMPTS = 50;

/** A report besides an error is kept only up to this size, bytes. */
export const KEPT_OUTPUT_BYTES = 16_384;

/** How many bytes of an attempt's error are kept. */
export const KEPT_ERROR_BYTES = 2_048;

/** The beginning of an error that is kept, as UTF-8, and no part of a character. */
export function beginningOfError(text: string): string {
  const room = new Uint8Array(KEPT_ERROR_BYTES);
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read);
}

/** The outcome of the attempt in the row of its job. */
export function outcomeIn(state: JobState): AttemptOutcome {
  return state === "IN_PROGRESS" || state === "IN_QUEUE" ? "RUNNING" : state;
}
