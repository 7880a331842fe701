import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { ClaimDeliveries, DeliveryOutcome } from "../../store/delivery-steps.ts";
import type { StoreAccess, WithDurations, WithServer } from "../verb-needs.ts";

/** Longer than all that an attempt does beside the call itself, ms. */
const MARGIN = 10_000;

/**
 * Writes down what came of attempts, and takes what is due and has room, in one commit. What is taken is this
 * server's for as long as an attempt can take; when it is killed meanwhile, it is due again then.
 */
export async function claimDeliveries(
  engine: StoreAccess & WithDurations & WithServer,
  outcomes: readonly DeliveryOutcome[],
  room: Pick<ClaimDeliveries, "limit" | "byteLimit" | "each" | "room">,
): Promise<readonly ClaimedDelivery[]> {
  const { server: owner, clock, durations, store } = engine;
  const now = clock.now();
  const until = now + durations.webhookTimeout + MARGIN;
  const record = { step: "recordDeliveries", owner, outcomes } as const;
  const claim = { step: "claimDeliveries", owner, until, ...room } as const;
  if (outcomes.length === 0) return (await store.apply([claim], now))[0];
  return (await store.apply([record, claim], now))[1];
}

/** What this server had taken is due now: it was killed, or ends, in the middle of the attempts. */
export async function releaseDeliveries(engine: StoreAccess & WithServer): Promise<void> {
  const step = { step: "releaseDeliveries", owner: engine.server } as const;
  await engine.store.apply([step], engine.clock.now());
}
