/**
 * What clients, workers and receivers know of a server, as a list of events in any order. All times are of
 * one clock. Values that are compared (results, records) stand here as digests.
 */
export type HistoryEvent = Submission | Look | Change | Purge | HandOut | Report | Chunk | Read | WebhookCall;

/**
 * The call was made at `from` and answered, or given up, at `to`. What it did, it did between the two. A call
 * of unknown outcome can take effect at any time after `from`, or never.
 */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Refused: the answer says that the call changed nothing. Unknown: there was no answer. */
export type Outcome = "acknowledged" | "refused" | "unknown";

/** `run` or `runsync`. An end that `runsync` answers is a `Look` with the same times. */
export interface Submission extends Span {
  readonly kind: "submission";
  readonly endpoint: string;
  /** A name of its own, which is in its input: workers see it. */
  readonly tag: string;
  readonly outcome: Outcome;
  /** Of an acknowledged one, and of an unknown one whose job was found by its id. */
  readonly id?: string;
  /** Whether a deadline can pass while the test runs. */
  readonly mayTimeOut?: boolean;
  /** Whether the retention of its record can pass while the test runs. */
  readonly mayExpire?: boolean;
  readonly hasWebhook?: boolean;
}

export type JobState = "IN_QUEUE" | "IN_PROGRESS" | EndState;

export type EndState = "COMPLETED" | "FAILED" | "CANCELLED" | "TIMED_OUT";

/** `gone`: the server says that there is no such job. */
export type SeenState = JobState | "gone";

/** An answer tells the state of a job: of `status`, `stream`, `runsync`, or a 404 to any call. */
export interface Look extends Span {
  readonly kind: "look";
  readonly id: string;
  readonly state: SeenState;
  /** The output or error of its worker; null: it ended with an error of the server; undefined: not told. */
  readonly result?: string | null | undefined;
  /** The whole record of a job that has ended; undefined: not told. */
  readonly record?: string | undefined;
  /** Read when nothing waited or ran any more. Each job needs one. */
  readonly isFinal?: boolean;
}

export interface Change extends Span {
  readonly kind: "cancel" | "retry";
  readonly id: string;
  /** Refused: the job cannot be retried in this state; leave out calls refused for other reasons. */
  readonly outcome: Outcome;
  /** The state that the answer tells. */
  readonly state?: SeenState | undefined;
}

export interface Purge extends Span {
  readonly kind: "purge";
  readonly endpoint: string;
  readonly outcome: Outcome;
  /** How many jobs the answer says it removed. */
  readonly removed?: number;
  /** The jobs that the answer names: it removed these and left all others alone. */
  readonly ids?: readonly string[];
}

/** A worker got a job; `from` is when it asked for one, or 0. */
export interface HandOut extends Span {
  readonly kind: "handOut";
  readonly endpoint: string;
  readonly id: string;
  readonly tag: string;
  /** Only of workers that are told the attempt. */
  readonly attempt?: number;
  /** One process of a worker. */
  readonly worker?: string;
}

/** A worker reported how a job has ended. No two reports have the same result. */
export interface Report extends Span {
  readonly kind: "report";
  readonly id: string;
  readonly state: "COMPLETED" | "FAILED";
  readonly result: string;
  /** Without an attempt it can be late (docs/states.md#late-results). */
  readonly attempt?: number;
  readonly worker?: string;
  readonly outcome: "accepted" | "ignored" | "unknown";
}

/** A worker sent a chunk. The chunks of an attempt stand in the history in the order of their sending. */
export interface Chunk extends Span {
  readonly kind: "chunk";
  readonly id: string;
  readonly attempt: number;
  /** A name of its own, which is its content. */
  readonly mark: string;
  readonly outcome: "stored" | "ignored" | "unknown";
}

/** A client read chunks: all of a job that has completed, or those that no plain read got before. */
export interface Read extends Span {
  readonly kind: "read";
  readonly id: string;
  readonly which: "all" | "next";
  readonly marks: readonly string[];
}

/** A receiver was called, whatever it answered. `to` is when the call arrived. */
export interface WebhookCall extends Span {
  readonly kind: "webhook";
  readonly webhookId: string;
  readonly id: string;
  readonly state: JobState;
  /** Of the whole body, as `Look.record`. */
  readonly record: string;
}

export function isEnd(state: SeenState): state is EndState {
  return state !== "IN_QUEUE" && state !== "IN_PROGRESS" && state !== "gone";
}

/** Whether the one was over before the other began. */
export function isBefore(one: Span, other: Span): boolean {
  return one.to < other.from;
}
