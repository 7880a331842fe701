import type { Engine } from "../engine/engine.ts";
import { offerWaiting } from "../engine/wake.ts";
import type { Duty } from "./duty.ts";

/** Signals can be lost; after this many milliseconds a waiting job is found without one. */
const OFFER_INTERVAL = 1_000;

/** Each server offers what waits to the calls that it holds. */
export function offerDuty(engine: Engine): Duty {
  return { name: "offer", every: OFFER_INTERVAL, run: () => offerWaiting(engine) };
}
