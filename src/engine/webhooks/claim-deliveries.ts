import type { ClaimedDelivery } from "../../domain/delivery.ts";
import type { ClaimDeliveries, DeliveryOutcome } from "../../store/delivery-steps.ts";
import type { StoreAccess, WithDurations, WithServer } from "../verb-needs.ts";

/** How long an attempt can take besides the call itself, ms. */
const MARGIN = 10_000;

/**
 * Stores the outcomes of attempts, and claims due deliveries that have room, in one commit. A claim belongs
 * to this server for as long as an attempt can take. If the server is killed, the delivery is due again after
 * that.
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

/** Gives up the claims of this server, because it was killed or stops: their deliveries are due now. */
export async function releaseDeliveries(engine: StoreAccess & WithServer): Promise<void> {
  const step = { step: "releaseDeliveries", owner: engine.server } as const;
  await engine.store.apply([step], engine.clock.now());
}
