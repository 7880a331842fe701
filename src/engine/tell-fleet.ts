import type { Engine } from "./engine.ts";
import { FLEET_KEY } from "./wait-keys.ts";

/** The fleet is to look at the workers of this endpoint now. */
export function tellFleet(engine: Engine, endpoint: string): void {
  engine.fleetNews.add(endpoint);
  engine.waits.notify(FLEET_KEY);
}
