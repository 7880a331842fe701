import type { Signal, SignalDetails } from "../signals.ts";
import type { Step, StepAnswers } from "../steps.ts";
import { Counters } from "./sqlite-counters.ts";
import type { Database } from "./sqlite-driver.ts";
import { NewChunks } from "./sqlite-new-chunks.ts";
import { type Payloads, payloads } from "./sqlite-payloads.ts";

/** What every step writes to: the database, the counters, and the signals of one transaction. */
export interface Tables {
  readonly database: Database;
  readonly payloads: Payloads;
  readonly counters: Counters;
  readonly newChunks: NewChunks;
  /** The listeners of the store get the signal after the commit. */
  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void;
  /** The signals since the last call of this function. */
  takeSignals(): Signal[];
}

export function sqliteTables(database: Database): Tables {
  let signals: Signal[] = [];
  return {
    database,
    payloads: payloads(database),
    counters: new Counters(database),
    newChunks: new NewChunks(database),

    signal(event, endpoint, id, worker, details) {
      signals.push({
        event,
        endpoint,
        id,
        worker,
        lasted: details?.lasted,
        isLoss: details?.isLoss,
        added: details?.added,
      });
    },

    takeSignals() {
      const taken = signals;
      signals = [];
      return taken;
    },
  };
}

/**
 * Runs one kind of step inside the open transaction. Throwing undoes the whole call that the step belongs to.
 */
export type StepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
) => StepAnswers[Kind];
