import type { Engine } from "../engine/engine.ts";
import { type Provider, ProviderAway } from "../fleet/provider.ts";

/**
 * Stops workers without a record, which a killed server or a deleted endpoint has left. Then removes what is
 * stored for deleted endpoints. `found` gets the workers that exist. If the provider does not answer, the
 * next run tries again.
 */
export async function tidyProvider(
  engine: Engine,
  provider: Provider,
  found: (workers: ReadonlySet<string>) => void,
): Promise<void> {
  const { configuration, durations, log, fleet } = engine;
  try {
    // Before the records are read again: what was created until now then has a record that we see.
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

/** Removes what the provider stores for endpoints, unless it does not answer. */
export async function forgetAll(provider: Provider): Promise<void> {
  try {
    for (const endpoint of await provider.kept()) await provider.forget(endpoint);
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
  }
}
