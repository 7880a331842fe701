import type { ColdStart } from "../domain/attempt.ts";

/** How long the start of the worker took that got the job with this attempt: kept for the timeline. */
export interface NoteColdStart {
  readonly step: "noteColdStart";
  readonly endpoint: string;
  readonly id: string;
  readonly attempt: number;
  readonly coldStart: ColdStart;
}
