import type { Clock } from "../domain/clock.ts";
import type { SharedRate } from "../store/store.ts";
import type { WithPeers } from "./peers.ts";
import type { StoreAccess, WithServer } from "./verb-needs.ts";

export type { SharedRate };

/** Shares the counts of an operation of `subject` between servers. */
export type RateSharing = (subject: string, operation: string) => SharedCounting;

export interface SharedCounting {
  /** The id of this server. */
  readonly name: string;
  readonly clock: Clock;
  /** How many other servers there are; undefined if that is not known. */
  others(): number | undefined;
  /** Whether the server is dead, so that its requests in flight have ended. */
  isGone(server: string): boolean;
  /** Throws STORAGE_UNAVAILABLE. */
  rate(): Promise<SharedRate | undefined>;
  /** False if another server has written meanwhile. Throws STORAGE_UNAVAILABLE. */
  putRate(rate: SharedRate): Promise<boolean>;
}

/** Undefined if no other server shares the data. */
export function rateSharing({
  server,
  clock,
  store,
  peers,
}: StoreAccess & WithServer & WithPeers): RateSharing | undefined {
  const { shared } = store;
  if (shared === undefined || peers === undefined) return undefined;
  return (subject, operation) => ({
    name: server,
    clock,
    others: () => peers.others(),
    isGone: (name) => peers.isGone(name),
    rate: () => shared.rate(subject, operation),
    putRate: (rate) => shared.putRate(subject, operation, rate),
  });
}
