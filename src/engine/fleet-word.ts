import type { Engine } from "./engine.ts";
import type { Shortage } from "./managed-worker.ts";

/** What a server tells of the workers of one endpoint that it starts. */
export interface FleetWord extends Shortage {
  /** Ids of those that have not called yet. */
  readonly initializing: readonly string[];
}

/** By the ids of the endpoints; those of which there is nothing to tell are left out. */
export type FleetWords = Readonly<Record<string, FleetWord>>;

export function fleetWords({ managed, shortages }: Pick<Engine, "managed" | "shortages">): FleetWords {
  const words: Record<string, FleetWord> = {};
  for (const [endpoint, { throttled, unhealthy }] of shortages) {
    if (throttled + unhealthy > 0) words[endpoint] = { initializing: [], throttled, unhealthy };
  }
  for (const [id, { endpoint, hasCalled }] of managed) {
    if (hasCalled) continue;
    const word = words[endpoint] ?? { initializing: [], throttled: 0, unhealthy: 0 };
    words[endpoint] = { ...word, initializing: [...word.initializing, id] };
  }
  return words;
}
