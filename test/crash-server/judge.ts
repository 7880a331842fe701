import { checkHistory, type Verdict } from "../history/check-history.ts";
import { FAULTLESS } from "../history/faults.ts";
import { type Counted, wrongCounters } from "./counters.ts";
import type { Recorder } from "./recorder.ts";

/** What there is to say of a run under load: all lists but those of the verdict's counts must be empty. */
export interface Judged {
  readonly verdict: Verdict;
  /** Counters that the jobs contradict. */
  readonly counters: readonly string[];
  /** Answers that no call may get. */
  readonly answers: readonly string[];
}

export function judge(record: Recorder, counted: readonly Counted[]): Judged {
  const verdict = checkHistory(record.events);
  return { verdict, counters: wrongCounters(record, counted), answers: record.faults };
}

/** All that is wrong. */
export function wrongOf({ verdict, counters, answers }: Judged) {
  return { ...verdict.faults, counters, answers };
}

/** What that is of a run in which nothing was wrong. */
export const NOTHING_WRONG = { ...FAULTLESS, counters: [], answers: [] };
