import type { JobState } from "../../src/domain/transitions.ts";

/**
 * What clients and workers know of a server that is killed again and again. All of it is in order of one
 * clock, which counts what happened in the process of the test.
 */
export interface History {
  readonly submissions: Submission[];
  readonly sightings: Sighting[];
  readonly requests: Request[];
  readonly purges: Purge[];
  readonly handOuts: HandOut[];
  readonly results: Result[];
  readonly chunks: Chunk[];
  readonly reads: Read[];
  readonly webhooks: WebhookCall[];
  /** Answers that no call may get. */
  readonly faults: string[];
}

/** What happened, happened between the two: when it was asked for, and when the answer came or failed. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A job that was sent. Its tag is in its input. */
export interface Submission extends Span {
  readonly endpoint: string;
  readonly tag: string;
  /** Undefined when the answer did not come: whether there is such a job is not known. */
  readonly id: string | undefined;
  /** Whether it asked for a deadline that can pass during the test. */
  readonly mayTimeOut: boolean;
  /** Whether a receiver is to be called when it ends. */
  readonly hasWebhook?: boolean;
}

/** Somebody was told what state a job is in. */
export interface Sighting extends Span {
  readonly id: string;
  /** `gone`: there is no such job. */
  readonly state: SeenState;
  /** Of its output or error, as `digestOf` gives it; undefined when it was not told. */
  readonly result?: string | undefined;
  /** Of the whole record of a job that has ended; undefined when it was not told. */
  readonly record?: string | undefined;
}

export type SeenState = JobState | "gone";

/** A call that may have changed a job. Refused ones are left out: they have changed nothing. */
export interface Request extends Span {
  readonly id: string;
  readonly verb: "cancel" | "retry";
  readonly isAcknowledged: boolean;
}

export interface Purge extends Span {
  readonly endpoint: string;
  /** Undefined when the answer did not come. */
  readonly removed: number | undefined;
}

/** A worker got a job. */
export interface HandOut {
  readonly endpoint: string;
  readonly id: string;
  readonly tag: string;
  /** Only from workers that are told the attempt. */
  readonly attempt?: number | undefined;
  /** When it got the job; workers in processes of their own do not know. */
  readonly span?: Span | undefined;
}

/** A worker reported how a job has ended. */
export interface Result {
  readonly id: string;
  readonly state: "COMPLETED" | "FAILED";
  readonly digest: string;
  readonly attempt?: number | undefined;
  /** When the server said that it took this for the result of the attempt; undefined: it did not. */
  readonly accepted?: Span | undefined;
}

/** A worker sent a chunk; each has a mark of its own, and they stand here in the order of their sending. */
export interface Chunk {
  readonly id: string;
  readonly attempt: number;
  readonly mark: string;
  readonly outcome: "stored" | "ignored" | "unknown";
}

/** A client read chunks. */
export interface Read {
  readonly id: string;
  readonly marks: readonly string[];
  /** All chunks of a job that has ended, or what no read had got before. */
  readonly which: "all" | "next";
}

/** A receiver was called, whatever it answered. */
export interface WebhookCall {
  readonly webhookId: string;
  /** Of the job. */
  readonly id: string;
  readonly state: JobState;
  /** Of the whole body, as `Sighting.record`. */
  readonly record: string;
}

export function emptyHistory(): History {
  return {
    submissions: [],
    sightings: [],
    requests: [],
    purges: [],
    handOuts: [],
    results: [],
    chunks: [],
    reads: [],
    webhooks: [],
    faults: [],
  };
}

/** What stands for a value where two are compared. */
export function digestOf(value: unknown): string {
  return Bun.hash(JSON.stringify(value) ?? "").toString(36);
}
