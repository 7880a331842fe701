import type { Engine } from "./engine.ts";
import type { FleetWord } from "./fleet-word.ts";

/** What this server and the others know of the workers that they start for an endpoint, this one first. */
export function fleetWordsOf(engine: Engine, endpoint: string): FleetWord[] {
  const initializing = [...engine.managed]
    .filter(([, managed]) => managed.endpoint === endpoint && !managed.hasCalled)
    .map(([id]) => id);
  const here: FleetWord = {
    initializing,
    draining: [...engine.draining, ...engine.toReplace],
    report: engine.fleetReports.get(endpoint),
    coldStart: engine.coldStarts.get(endpoint),
  };
  return [here, ...(engine.peers?.fleetOf(endpoint) ?? [])];
}
