import { CONFIGURED_HOSTS, hostOf, isConfiguredHost } from "../domain/host.ts";
import type { WorkerToken } from "../domain/worker.ts";
import type { SharedData } from "../store/store.ts";
import type { WithServer } from "./verb-needs.ts";
import { loseWorker, retireWorker, type Retirement } from "./worker-gone.ts";

/** A server that has been silent for this long does not return, ms. */
const GONE_AFTER = 3_600_000;

/**
 * Refuses the workers of servers that are gone, and forgets these servers. A worker that still calls, because
 * its machine runs, is left alone until it is silent. A process is gone with its machine. A container can
 * still run: it keeps its GPUs until a server that sees its engine has stopped it. `missedSince` keeps, from
 * one call to the next, the servers that have never said anything.
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
    // Lost workers on a host stay until it answers or is deleted, and are in the log already.
    const { length } = tokens.filter(({ lostAt }) => lostAt === undefined);
    if (length === 0) continue;
    engine.log.warn("a server is gone for good: the workers that it had started are refused from now on", {
      server,
      workers: length,
    });
  }
}

/** Answers how many of the workers still call. */
async function retireSilent(engine: Retirement, tokens: readonly WorkerToken[]): Promise<number> {
  const since = engine.clock.now() - engine.durations.workerLease;
  let left = 0;
  for (const token of tokens) {
    const { id, endpoint } = token;
    const live = await engine.store.workers(endpoint, since);
    if (live.some(({ worker }) => worker === id)) left++;
    else if (isSurelyGone(token)) await retireWorker(engine, endpoint, id, "died");
    else if (token.lostAt === undefined) await loseWorker(engine, endpoint, id);
  }
  return left;
}

/** Nobody but its server sees the engine `docker`, unless one has stopped the container within this hour. */
function isSurelyGone(token: WorkerToken): boolean {
  const host = hostOf(token) ?? CONFIGURED_HOSTS.process;
  return host === CONFIGURED_HOSTS.process || (isConfiguredHost(host) && token.lostAt !== undefined);
}
