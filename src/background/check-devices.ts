import type { Engine } from "../engine/engine.ts";
import type { Provider } from "../fleet/provider.ts";

/**
 * The workers of this server that run with other GPUs than the ledger says, each with an error in the log.
 * They must be stopped: others may have their GPUs. To be called after `provider.list`.
 */
export async function misplacedWorkers(
  { store, fleet, log, configuration }: Engine,
  { devices = new Map() }: Provider,
): Promise<readonly string[]> {
  const own = [...devices.keys()].filter(
    (worker) => fleet.managed.has(worker) && !fleet.draining.has(worker),
  );
  if (own.length === 0) return [];
  const rows = Map.groupBy(await store.allocations(), ({ worker }) => worker);
  const unequal = own.flatMap((worker) => {
    const ledger = (rows.get(worker) ?? []).map(({ device }) => device).toSorted();
    const running = (devices.get(worker) ?? []).toSorted();
    const [wanted, has] = [ledger.join(), running.join()];
    return wanted === has ? [] : [{ worker, ledger: wanted, running: has }];
  });
  if (unequal.length === 0) return [];
  // A worker that has ended since has no record any more, and so no rows either.
  await configuration.refresh();
  const misplaced = unequal.filter(({ worker }) => configuration.get("worker", worker) !== undefined);
  for (const one of misplaced) {
    log.error("a worker has other GPUs than the ledger says, and is stopped", one);
  }
  return misplaced.map(({ worker }) => worker);
}
