import { askReplacement } from "../engine/ask-replacement.ts";
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
      for (const [id, { endpoint }] of engine.managed) {
        const asked = engine.configuration.get("worker", id)?.asked;
        if (asked === undefined || engine.draining.has(id)) continue;
        if (asked === "stop") workers.end(id, engine.durations.drainGrace);
        else if (!engine.toReplace.has(id)) askReplacement(engine, { endpoint, id });
      }
    },
  };
}
