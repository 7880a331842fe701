import type { JobState, UnfinishedState } from "./transitions.ts";

/** The state of a finished job. */
export type EndedState = Exclude<JobState, UnfinishedState>;

/**
 * What stays of a finished job for `--history`, after the queue API has forgotten it. When it was submitted
 * is in its id (`job-places.ts`), and the version of its worker in the id of the worker (`worker.ts`). All
 * times are milliseconds since 1970.
 */
export interface HistoryRecord {
  readonly endpoint: string;
  readonly id: string;
  readonly state: EndedState;
  /** When it was last put into the queue. */
  readonly queuedAt: number;
  /** When the newest attempt was handed out; undefined if the job never ran. */
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  /** Worker of the newest attempt. */
  readonly worker: string | undefined;
  /** Hand-outs. */
  readonly attempts: number;
  /** Size of what the worker got of the submission. */
  readonly inputBytes: number;
  /** Size of the output; 0 if there was none. */
  readonly outputBytes: number;
  readonly tags: readonly string[];
  /** The beginning of the error's text, at most KEPT_ERROR_BYTES; undefined if it is above 64 KiB. */
  readonly error: string | undefined;
  /** The first 200 characters of the input, as JSON; undefined if they were not among the first bytes. */
  readonly inputStart: string | undefined;
  /** `Store.pastInput` has the input. */
  readonly keepsInput: boolean;
}

/** Which records are looked for. All conditions must hold. */
export interface HistoryFilter {
  readonly endpoints: readonly string[];
  /** Undefined: any. */
  readonly states?: readonly EndedState[] | undefined;
  /** Ended at this time or later, ms since 1970. */
  readonly from?: number | undefined;
  /** Ended before this time, ms since 1970. */
  readonly to?: number | undefined;
  readonly worker?: string | undefined;
  /** Of the release of the worker. */
  readonly version?: number | undefined;
  /** Is in the error; upper and lower case of A to Z are the same. */
  readonly error?: string | undefined;
  /** The id begins so, with or without `sync-`. */
  readonly idPrefix?: string | undefined;
  readonly tag?: string | undefined;
  /** The newest attempt ran at least so long, ms. */
  readonly minMs?: number | undefined;
}

/** A place in the order of records: by end, then by id. */
export interface HistoryPlace {
  readonly endedAt: number;
  readonly id: string;
}

export interface HistoryPage {
  /** The newest first. */
  readonly records: readonly HistoryRecord[];
  /** The next page begins below this place; undefined if there is none. */
  readonly next: HistoryPlace | undefined;
}

/** Which inputs of an endpoint's jobs are kept with their records. */
export const HISTORY_INPUTS = ["failed", "none", "all"] as const;

export type HistoryInputs = (typeof HISTORY_INPUTS)[number];

/** Whether the input of a job that ended so is kept. */
export function keepsInput(inputs: HistoryInputs, state: EndedState): boolean {
  return inputs === "all" || (inputs === "failed" && (state === "FAILED" || state === "TIMED_OUT"));
}

/** How much of the history is kept. */
export interface HistoryLimits {
  /** How long a record stays after the end of its job, ms; 0: there is no history. */
  readonly age: number;
  /** Of all records with their inputs. */
  readonly bytes: number;
}

/** A record needs so many bytes besides its texts, as far as `--history-limit-mb` is concerned. */
export const RECORD_BYTES = 256;

/** So many bytes of the submission are looked through for the beginning of the input. */
export const BODY_START_BYTES = 512;

const INPUT_START_LENGTH = 200;

/** A string of JSON, also one whose end is missing. */
const STRING = /"(?:[^"\\]|\\.)*"?/y;

/** The beginning of the member `input` in the first bytes of a submission; undefined if it is not there. */
export function inputStartOf(body: Uint8Array): string | undefined {
  // The last character can be cut.
  const text = new TextDecoder().decode(body.subarray(0, BODY_START_BYTES)).replace(/\uFFFD$/, "");
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") depth--;
    if (character !== '"') continue;
    STRING.lastIndex = at;
    const string = STRING.exec(text)?.[0] ?? "";
    at += string.length - 1;
    const value = /^\s*:\s*/.exec(text.slice(at + 1));
    if (depth === 1 && string === '"input"' && value !== null) {
      return memberAt(text.slice(at + 1 + value[0].length)).slice(0, INPUT_START_LENGTH);
    }
  }
  return undefined;
}

/** The object at the beginning of the text, as far as it is there. */
function memberAt(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      STRING.lastIndex = at;
      at += (STRING.exec(text)?.[0].length ?? 1) - 1;
    }
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") depth--;
    if (depth === 0) return text.slice(0, at + 1);
  }
  return text;
}
