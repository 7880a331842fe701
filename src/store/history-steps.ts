import type { HistoryInputs } from "../domain/history.ts";

/**
 * Writes the records of jobs that have ended and have none yet. Jobs that are gone are left out, and those
 * that ended no later than one whose record was trimmed: theirs would come back, as if it were new.
 */
export interface RecordEnded {
  readonly step: "recordEnded";
  readonly jobs: readonly JobName[];
  readonly inputs: KeptInputs;
}

export interface JobName {
  readonly endpoint: string;
  readonly id: string;
}

/** The endpoints whose inputs are all kept, or none of them; of others, those of jobs that failed. */
export interface KeptInputs {
  readonly all: readonly string[];
  readonly none: readonly string[];
}

export function inputsOf({ all, none }: KeptInputs, endpoint: string): HistoryInputs {
  return all.includes(endpoint) ? "all" : none.includes(endpoint) ? "none" : "failed";
}

/**
 * Removes at most `limit` records, in the order in which they were written: those that ended before `before`,
 * and further ones until all together have at most `maxBytes`. A job that ended no later than one of theirs
 * gets no record after that.
 */
export interface TrimHistory {
  readonly step: "trimHistory";
  readonly before: number;
  readonly maxBytes: number;
  readonly limit: number;
}

/** Removes at most `limit` records of the endpoint. */
export interface ClearHistory {
  readonly step: "clearHistory";
  readonly endpoint: string;
  readonly limit: number;
}

export type HistoryStep = RecordEnded | TrimHistory | ClearHistory;

export interface HistoryStepAnswers {
  /** Records that were written. */
  recordEnded: { readonly count: number };
  trimHistory: {
    /** Records that were removed. */
    readonly count: number;
    /** More is due than this step removed. */
    readonly hasMore?: true | undefined;
  };
  clearHistory: { readonly count: number };
}
