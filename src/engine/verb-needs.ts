import type { AccountLimits } from "../domain/account-limits.ts";
import type { Clock } from "../domain/clock.ts";
import type { Durations } from "../domain/durations.ts";
import type { Log } from "../domain/log.ts";
import type { Store } from "../store/store.ts";
import type { Waits } from "./waits.ts";

/**
 * What verbs need of the server, one interface per idea. A verb takes only those that it uses. Interfaces of
 * one subject, such as hand-outs or the fleet, are in the file of its code. `Engine` (engine.ts) has all.
 */

/** The data, and the time at which steps are committed. */
export interface StoreAccess {
  readonly store: Store;
  readonly clock: Clock;
}

export interface WithDurations {
  readonly durations: Durations;
}

export interface WithLog {
  readonly log: Log;
}

export interface WithLimits {
  /** How much one account can have. */
  readonly limits: AccountLimits;
}

export interface WithServer {
  /** The id of this server among those that share its data. */
  readonly server: string;
}

export interface WithStop {
  /** Whether no job is accepted or handed out any more. */
  readonly isStopping: boolean;
}

export interface WithWaits {
  /** Calls that wait for an event of a job, or for a job that a worker must stop. */
  readonly waits: Waits;
}
