import type { Payload } from "../domain/payload.ts";
import type { JobEvent } from "../domain/transitions.ts";

/** A change that was committed, named by the event that made it. */
export interface Signal {
  readonly event: JobEvent | "append" | "deliver" | "put" | "remove";
  /** Of the job, or the endpoint that was put or removed; empty for any other record. */
  readonly endpoint: string;
  /** Id of the job, of the record, or of the delivery that is due. */
  readonly id: string;
  /** Who got, had or has the job; undefined when nobody did. */
  readonly worker: string | undefined;
  /**
   * Of a hand-out, how long the job had waited since it was queued last; of the end of a job that ran, how
   * long since its hand-out. ms. Other servers are not told.
   */
  readonly lasted?: number | undefined;
  /** Of a giveBack: whether the attempt counts as lost. Other servers are not told. */
  readonly isLoss?: boolean | undefined;
  /** Of an append. Other servers are not told. */
  readonly added?: AddedChunks | undefined;
}

/** What only the server that made a change learns of it. */
export type SignalDetails = Pick<Signal, "lasted" | "isLoss" | "added">;

/** Chunks that one step has stored, in order. */
export interface AddedChunks {
  readonly attempt: number;
  /** Number of the first one. */
  readonly first: number;
  readonly chunks: readonly Payload[];
}

/** The signals of a commit that other servers need, without the details. */
export function signalsForOthers(signals: readonly Signal[]): Signal[] {
  const taken = new Set(signals.filter(({ event }) => event === "take").map(({ id }) => id));
  return signals
    .filter(({ event, id }) => {
      // Each server looks for due deliveries by itself, so that the servers do not all look at once.
      if (event === "deliver") return false;
      // A job that the same commit handed out waits for nobody.
      return !(event === "enqueue" && taken.has(id));
    })
    .map(({ event, endpoint, id, worker }) => ({ event, endpoint, id, worker }));
}
