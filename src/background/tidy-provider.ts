import type { Engine } from "../engine/engine.ts";
import { type Provider, ProviderAway } from "../fleet/provider.ts";

/**
 * Ends what runs at a provider and is on no record: a server that was killed, or the end of an endpoint, has
 * left it. Then removes what is kept for endpoints that are gone. `found` gets the workers that are there. A
 * provider that is away is left for the next time.
 */
export async function tidyProvider(
  engine: Engine,
  provider: Provider,
  found: (workers: ReadonlySet<string>) => void,
): Promise<void> {
  const { configuration, durations, log, fleet } = engine;
  try {
    // Both are asked before the records are read again: what has a record by now is then known.
    const workers = await provider.list();
    const endpoints = await provider.kept();
    found(new Set(workers));
    const unknown = workers.filter((worker) => !fleet.managed.has(worker));
    if (unknown.length + endpoints.length === 0) return;
    await configuration.refresh();
    for (const worker of unknown) {
      if (configuration.get("worker", worker) !== undefined) continue;
      log.warn("a worker that is on no record is ended", { worker });
      await provider.stop(worker, durations.drainGrace);
    }
    for (const endpoint of endpoints) {
      if (configuration.get("endpoint", endpoint) === undefined) await provider.forget(endpoint);
    }
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
  }
}
