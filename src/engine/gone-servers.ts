import type { WorkerToken } from "../domain/worker.ts";
import type { SharedData } from "../store/store.ts";
import type { WithServer } from "./verb-needs.ts";
import { retireWorker, type Retirement } from "./worker-gone.ts";

/** A server that has been silent for this long does not return, ms. */
const GONE_AFTER = 3_600_000;

/**
 * Retires the workers of servers that are gone, and forgets these servers. A worker that still calls, because
 * its machine runs, is left alone until it is silent. `missedSince` keeps, from one call to the next, the
 * servers that have never said anything.
 */
export async function forgetGoneServers(
  engine: Retirement & WithServer,
  shared: SharedData,
  missedSince: Map<string, number>,
): Promise<void> {
  const now = engine.clock.now();
  const words = await shared.announcements();
  const livedUntil = new Map(words.map(({ server, until }) => [server, until]));
  const started = engine.configuration.all("worker").filter(({ managed }) => managed);
  const byServer = Map.groupBy(started, ({ server }) => server ?? engine.server);
  for (const server of new Set([...livedUntil.keys(), ...byServer.keys()])) {
    const until = livedUntil.get(server) ?? missedSince.get(server);
    if (until === undefined) missedSince.set(server, now);
    if (server === engine.server || until === undefined || until > now - GONE_AFTER) continue;
    const tokens = byServer.get(server) ?? [];
    const left = await retireSilent(engine, tokens);
    if (left > 0) continue;
    missedSince.delete(server);
    await shared.forgetServer(server, now - GONE_AFTER);
    if (tokens.length === 0) continue;
    engine.log.warn("a server is gone for good: the workers that it had started are refused from now on", {
      server,
      workers: tokens.length,
    });
  }
}

/** Answers how many of the workers still call. */
async function retireSilent(engine: Retirement, tokens: readonly WorkerToken[]): Promise<number> {
  const since = engine.clock.now() - engine.durations.workerLease;
  let left = 0;
  for (const { id, endpoint } of tokens) {
    const live = await engine.store.workers(endpoint, since);
    if (live.some(({ worker }) => worker === id)) left++;
    else await retireWorker(engine, endpoint, id, "died");
  }
  return left;
}
