import type { Engine } from "../../engine/engine.ts";
import type { GateSharing } from "./shared-gate.ts";

/** How the gate of an operation of `subject` reaches those of other servers. */
export type RateSharing = (subject: string, operation: string) => GateSharing;

/** Undefined for a server whose data no other one shares. */
export function rateSharing({ server, clock, store, peers }: Engine): RateSharing | undefined {
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
