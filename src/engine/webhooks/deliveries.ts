import { type Delivery, deliveryFloor, type DeliveryState } from "../../domain/delivery.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { StoreAccess } from "../verb-needs.ts";

export interface DeliveriesCall {
  readonly endpoint: string;
  /** Only deliveries in this state; undefined: all. */
  readonly state: DeliveryState | undefined;
  /** The `next` of the page before; undefined: the newest. */
  readonly from: string | undefined;
  readonly limit: number;
}

export interface DeliveriesFound {
  /** The newest first. A short or empty page does not mean that nothing follows. */
  readonly deliveries: readonly Delivery[];
  /** The beginning of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

/** To find deliveries in a state, one call reads this many at once, and this often. */
const SLICE = 2_000;
const SLICES = 25;

/** The deliveries of an endpoint, page by page. */
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
    // Lets other calls run.
    await new Promise(setImmediate);
  }
  return { deliveries: found, next };
}

/** Makes a delivery due now. One that had ended starts again. Throws DELIVERY_NOT_FOUND. */
export async function redeliver(engine: StoreAccess, endpoint: string, id: string): Promise<Delivery> {
  await engine.store.apply([{ step: "redeliver", endpoint, ids: [id] }], engine.clock.now());
  const delivery = await engine.store.delivery(endpoint, id);
  if (delivery !== undefined) return delivery;
  const sentence = `There is no webhook ${id} on this endpoint, or its retention has ended.`;
  throw new ForebayError("DELIVERY_NOT_FOUND", sentence);
}

export interface RedeliverRange {
  readonly endpoint: string;
  readonly state: DeliveryState;
  /** Of jobs that ended at `from` or later, and before `to`, ms. */
  readonly from: number;
  readonly to: number;
}

/** Makes all deliveries of the range due now, the newest first. Answers how many. */
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
