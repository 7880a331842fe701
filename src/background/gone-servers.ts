import type { Engine } from "../engine/engine.ts";
import { forgetGoneServers } from "../engine/gone-servers.ts";
import type { Duty } from "./duty.ts";

/** Who lives is read anyway, twice a second. ms. */
const INTERVAL = 10_000;

/** What servers leave behind that do not come back; nothing to do for a server on its own. */
export function goneServersDuties(engine: Engine): Duty[] {
  const { shared } = engine.store;
  if (shared === undefined) return [];
  const missedSince = new Map<string, number>();
  return [
    {
      name: "gone servers",
      every: INTERVAL,
      async run() {
        await forgetGoneServers(engine, shared, missedSince);
        await shared.forgetRates(engine.clock.now());
      },
    },
  ];
}
