import type { Payload } from "../../../src/domain/payload.ts";
import type { Step } from "../../../src/store/steps.ts";
import { START } from "../../contract/queue.ts";
import { type Steps, stepsOf } from "../../model/steps.ts";

/** The time of all steps whose order is forced: a second after that of the steps before. */
export const NOW = START + 1_000;

/** The endpoint of a case, and what its steps are made of. */
export interface Place {
  readonly endpoint: string;
  readonly steps: Steps;
  /** A payload that does not fit into a row, where the situation has one. */
  readonly stored: Payload | undefined;
}

export function placeOf(endpoint: string, stored?: Payload): Place {
  return { endpoint, steps: stepsOf(endpoint), stored };
}

/** Tells the two servers apart where both do the same. */
export type Side = "first" | "second";

/** One thing that a server may do. */
export interface Move {
  readonly name: string;
  /** It passes over rows that another transaction has locked, and finds them the next time. */
  readonly skips?: boolean;
  /** Nothing holds it up but a move that locks the endpoint itself. */
  readonly neverWaits?: boolean;
  readonly locksEndpoint?: boolean;
  /** A server that has written the row itself decides it without reading the row again. */
  readonly isCached?: boolean;
  /** The time of the server that makes it; undefined: NOW. */
  readonly time?: number;
  step(place: Place, side: Side): Step;
}

/** Rows, and what servers may do to them at the same time. */
export interface Situation {
  readonly name: string;
  /** Steps at START, one call each; the endpoint is there. */
  before(place: Place): readonly (readonly Step[])[];
  readonly moves: readonly Move[];
  readonly hasStoredPayload?: boolean;
}
