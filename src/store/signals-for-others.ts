import type { Signal } from "./store.ts";

/** What of the signals of a commit other servers are told. */
export function signalsForOthers(signals: readonly Signal[]): Signal[] {
  const taken = new Set(signals.filter(({ event }) => event === "take").map(({ id }) => id));
  return signals
    .filter(({ event, id }) => {
      // Each server looks at its own deliveries: so not all come for each one.
      if (event === "deliver") return false;
      // What left with the commit that brought it waits for nobody.
      return !(event === "enqueue" && taken.has(id));
    })
    .map(({ event, endpoint, id, worker }) => ({ event, endpoint, id, worker }));
}
