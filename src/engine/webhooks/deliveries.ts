import { type Delivery, deliveryFloor, type DeliveryState } from "../../domain/delivery.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { StoreAccess } from "../verb-needs.ts";

export interface DeliveriesCall {
  readonly endpoint: string;
  /** Only those in this state; undefined: all that there are. */
  readonly state: DeliveryState | undefined;
  /** The `next` of the page before; undefined begins with the newest. */
  readonly from: string | undefined;
  readonly limit: number;
}

export interface DeliveriesFound {
  /** The newest first; fewer than asked for, or none, does not mean that nothing follows. */
  readonly deliveries: readonly Delivery[];
  /** Where the next page begins; undefined when there is none. */
  readonly next: string | undefined;
}

/** To find those in a state all are looked at, so many at once, and so often for one page. */
const SLICE = 2_000;
const SLICES = 25;

/** The webhooks of an endpoint, page by page, as long as they are kept. */
export async function deliveries(
  { store }: StoreAccess,
  { endpoint, state, from, limit }: DeliveriesCall,
): Promise<DeliveriesFound> {
  const found: Delivery[] = [];
  let next = from;
  for (let slice = 0; slice < SLICES; slice++) {
    const page = await store.deliveries(endpoint, state, next, limit - found.length, SLICE);
    found.push(...page.deliveries);
    next = page.next;
    if (next === undefined || found.length === limit) break;
    // Others come in between.
    await new Promise(setImmediate);
  }
  return { deliveries: found, next };
}

/** One of them is due now; one that had ended begins anew. Throws DELIVERY_NOT_FOUND. */
export async function redeliver(engine: StoreAccess, endpoint: string, id: string): Promise<Delivery> {
  await engine.store.apply([{ step: "redeliver", endpoint, ids: [id] }], engine.clock.now());
  const delivery = await engine.store.delivery(endpoint, id);
  if (delivery !== undefined) return delivery;
  const sentence = `There is no webhook ${id} on this endpoint, or its time is over.`;
  throw new ForebayError("DELIVERY_NOT_FOUND", sentence);
}

export interface RedeliverRange {
  readonly endpoint: string;
  readonly state: DeliveryState;
  /** Of jobs that ended from the first time on, before the second, ms. */
  readonly from: number;
  readonly to: number;
}

/** All of the range are due now, the newest first. Answers how many. */
export async function redeliverRange(
  engine: StoreAccess,
  { endpoint, state, from, to }: RedeliverRange,
): Promise<number> {
  const floor = deliveryFloor(from);
  let count = 0;
  for (let next: string | undefined = deliveryFloor(to); next !== undefined && next > floor;) {
    const page = await engine.store.deliveries(endpoint, state, next, SLICE, SLICE);
    const ids = page.deliveries.map(({ id }) => id).filter((id) => id > floor);
    if (ids.length > 0) {
      const [answer] = await engine.store.apply([{ step: "redeliver", endpoint, ids }], engine.clock.now());
      count += answer.count;
    }
    next = page.next;
    await new Promise(setImmediate);
  }
  return count;
}
