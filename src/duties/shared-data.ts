import type { Engine } from "../engine/engine.ts";
import { lookAgain } from "../engine/wake.ts";
import type { Duty } from "./duty.ts";

/** What other servers tell can be lost; after this many milliseconds it is found without. */
const LOOK_INTERVAL = 1_000;

/** How often the database is asked for the time: two clocks differ by less than 1 in 1,000. */
const TIME_INTERVAL = 10_000;

/** What keeps servers together that share a database; nothing to do for a server on its own. */
export function sharedDataDuties(engine: Engine, steer: (now: number) => void): Duty[] {
  const { shared } = engine.store;
  if (shared === undefined) return [];
  return [
    { name: "look again", every: LOOK_INTERVAL, run: () => lookAgain(engine) },
    { name: "time", every: TIME_INTERVAL, run: async () => steer(await shared.time()) },
  ];
}
