import type { Engine } from "../engine/engine.ts";
import { lookAgain } from "../engine/wake.ts";
import type { Duty } from "./duty.ts";

/** What other servers tell can be lost; after this many milliseconds it is found without. */
const LOOK_INTERVAL = 1_000;

/** How often the database is asked for the time: two clocks differ by less than 1 in 1,000. */
const TIME_INTERVAL = 10_000;

/** How often a server tells that it lives, and hears who else does. */
const MEET_INTERVAL = 500;

/** What they agree upon, beside what the engine sees to. */
export interface SharedActions {
  /** It is `now` in the database. */
  readonly steer: (now: number) => void;
  /** Tells others what they need not allow for any more. */
  readonly tellLimits: () => Promise<void>;
}

/** What keeps servers together that share a database; nothing to do for a server on its own. */
export function sharedDataDuties(engine: Engine, { steer, tellLimits }: SharedActions): Duty[] {
  const { peers, store } = engine;
  const { shared } = store;
  if (shared === undefined || peers === undefined) return [];
  return [
    { name: "look again", every: LOOK_INTERVAL, run: () => lookAgain(engine) },
    { name: "time", every: TIME_INTERVAL, run: async () => steer(await shared.time()) },
    {
      name: "meet",
      every: MEET_INTERVAL,
      async run() {
        await peers.meet();
        await tellLimits();
      },
    },
  ];
}
