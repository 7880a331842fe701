import type { Signal, SignalDetails } from "../store.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Counters } from "./sqlite-counters.ts";
import type { Database } from "./sqlite-driver.ts";
import type { Payloads } from "./sqlite-payloads.ts";

/** What every step writes to: the database and what is kept beside the rows of one transaction. */
export interface Tables {
  readonly database: Database;
  readonly payloads: Payloads;
  readonly counters: Counters;
  /** Tells the listeners of the store after the commit. */
  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void;
}

/**
 * Runs one kind of step inside the open transaction. Throwing undoes the whole call that the step belongs to.
 */
export type StepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
) => StepAnswers[Kind];
