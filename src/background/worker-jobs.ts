import { askReplacement } from "../engine/fleet-state.ts";
import type { Engine } from "../engine/engine.ts";
import type { Duty } from "./duty.ts";
import type { FleetWorkers } from "./fleet-workers.ts";

/** Who asks is answered already; ms. */
const INTERVAL = 200;

/**
 * Each server stops, or has replaced, which of its workers somebody has asked for: on whichever server, and
 * before whichever restart.
 */
export function askedDuty(engine: Engine, workers: FleetWorkers): Duty {
  return {
    name: "asked",
    every: INTERVAL,
    async run() {
      for (const [id, { endpoint }] of engine.fleet.managed) {
        const asked = engine.configuration.get("worker", id)?.asked;
        if (asked === undefined || engine.fleet.draining.has(id)) continue;
        if (asked === "stop") workers.end(id, engine.durations.drainGrace);
        else if (!engine.fleet.toReplace.has(id)) askReplacement(engine, { endpoint, id });
      }
    },
  };
}
