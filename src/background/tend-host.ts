import type { WorkerToken } from "../domain/worker.ts";
import { hostOf, isConfiguredHost } from "../domain/host.ts";
import type { Engine } from "../engine/engine.ts";
import { loseWorker, retireWorker } from "../engine/worker-gone.ts";
import type { Host } from "../fleet/hosts.ts";
import { type Provider, ProviderAway } from "../fleet/provider.ts";
import type { HostWorkers } from "./host-workers.ts";

/** How long a host may take to answer, ms. What took longer was a pause of this server. */
const PATIENCE = 5_000;

/** A host is lost only if it was asked in vain a moment ago: this server may have been paused. ms. */
const JUST_ASKED = 10_000;

/** What looking after the workers of hosts needs. */
export interface HostTending {
  readonly engine: Engine;
  readonly workers: HostWorkers;
  /** Workers that are being stopped because they have no record, or are lost. */
  readonly surplus: Set<string>;
  /** Lost workers that this server has found on one of its hosts, so that it knows when they are gone. */
  readonly lostHere: Set<string>;
  /** Called for a worker that ended while its host did not answer. */
  readonly onEnded: (worker: string) => void;
  /** Whether records are being written for workers that this server does not manage yet. */
  readonly isPlacing: () => boolean;
}

/** Takes over the workers of an earlier server: some still run, and the others have died. */
export async function adoptWorkers({ engine, workers }: HostTending, host: Host): Promise<void> {
  const { clock, log } = engine;
  // A lost worker is no longer counted.
  const tokens = tokensOn(engine, host).filter(({ lostAt }) => lostAt === undefined);
  const called = await haveCalled(engine, tokens);
  const askedAt = clock.now();
  try {
    const running = new Set(await host.provider.list());
    const runsSince = clock.now();
    for (const token of tokens) {
      const { id, endpoint } = token;
      if (running.has(id)) {
        workers.add(id, endpoint, host, { orderedAt: undefined, runsSince, hadJob: called.has(id) });
        workers.noteRunning(id);
      } else await retireWorker(engine, endpoint, id, isOwn(engine, token) ? "died" : "withdrawn");
    }
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    noteAway(engine, host, error, askedAt);
    log.warn("workers are taken to run until they can be asked for", {
      host: host.name,
      reason: error.message,
    });
    for (const { id, endpoint } of tokens) {
      workers.add(id, endpoint, host, { orderedAt: undefined, runsSince: undefined, hadJob: called.has(id) });
      workers.unsettle(id);
    }
  }
}

/**
 * Looks at what exists on a host: settles which workers run, stops those that have no record or are lost, and
 * removes what is stored for deleted endpoints. If the host does not answer, it is away from now on.
 */
export async function tidyHost(tending: HostTending, host: Host): Promise<void> {
  const { engine, workers, onEnded, isPlacing } = tending;
  const askedAt = engine.clock.now();
  try {
    // Before the records are read again: what was created until now then has a record that we see.
    const existing = new Set(await host.provider.list());
    noteAnswer(engine, host);
    for (const worker of workers.settle(host, existing)) onEnded(worker);
    await stopSurplus(tending, host, existing);
    if (!isPlacing()) await forgetUnstarted(tending, host, existing);
    await forgetDeleted(engine, host.provider);
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    noteAway(engine, host, error, askedAt);
  }
}

/**
 * If the host has not answered for longer than the timeout, its workers are lost: their jobs run elsewhere.
 * What they have on the host stays theirs until it answers, or is deleted.
 */
export async function loseWorkersOn(tending: HostTending, host: Host): Promise<void> {
  const { engine, workers } = tending;
  const { fleet, clock, durations, log } = engine;
  const away = fleet.awayHosts.get(host.name);
  const now = clock.now();
  if (away === undefined || now < away.since + durations.hostTimeout || now > away.askedAt + JUST_ASKED)
    return;
  const lost = workers.on(host);
  if (lost.length === 0) return;
  const { reason } = away;
  log.warn("a host is lost: the jobs of its workers run elsewhere", {
    host: host.name,
    reason,
    workers: lost.length,
  });
  for (const worker of lost) {
    const endpoint = fleet.managed.get(worker)?.endpoint;
    if (endpoint !== undefined) await loseWorker(engine, endpoint, worker);
    workers.remove(worker);
    if (endpoint !== undefined) fleet.news.add(endpoint);
    // A start under way is aborted; what runs is stopped as soon as the host answers.
    stopSoon(tending, host, worker, 0);
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

function noteAway(engine: Engine, { name }: Host, { message }: ProviderAway, askedAt: number): void {
  const { fleet, clock, log } = engine;
  const before = fleet.awayHosts.get(name);
  const reason = message.replace(/\.$/, "");
  if (before === undefined) log.warn("a host does not answer", { host: name, reason });
  const now = clock.now();
  const since = before?.since ?? Math.max(askedAt, now - PATIENCE);
  fleet.awayHosts.set(name, { since, askedAt: now, reason });
}

function noteAnswer({ fleet, log }: Engine, { name }: Host): void {
  if (fleet.awayHosts.delete(name)) log.info("a host answers again", { host: name });
}

async function stopSurplus(tending: HostTending, host: Host, existing: ReadonlySet<string>): Promise<void> {
  const { engine, surplus, lostHere } = tending;
  const { configuration, durations, log, fleet } = engine;
  const unknown = [...existing].filter((worker) => !fleet.managed.has(worker) && !surplus.has(worker));
  if (unknown.length === 0) return;
  await configuration.refresh();
  for (const worker of unknown) {
    const token = configuration.get("worker", worker);
    const isLost = token?.lostAt !== undefined;
    if (token !== undefined && !isLost) continue;
    log.warn(isLost ? "a lost worker is ended" : "a worker that is on no record is ended", { worker });
    if (isLost) lostHere.add(worker);
    stopSoon(tending, host, worker, isLost ? 0 : durations.drainGrace);
  }
}

/** Does not wait for the end of the worker: a host that no longer answers must be noticed meanwhile. */
function stopSoon({ engine, surplus }: HostTending, { provider }: Host, worker: string, grace: number): void {
  surplus.add(worker);
  provider
    .stop(worker, grace)
    .catch((error: unknown) => {
      engine.log.error("a worker could not be ended", { worker, error: String(error) });
    })
    .finally(() => surplus.delete(worker));
}

/**
 * Removes records of workers of which nothing exists: a lost worker that is gone, or one that this server did
 * not start, because a record can be written although the answer of the database was lost.
 */
async function forgetUnstarted(
  { engine, surplus, lostHere }: HostTending,
  host: Host,
  existing: ReadonlySet<string>,
): Promise<void> {
  const isGone = (id: string): boolean => !existing.has(id) && !surplus.has(id);
  const { managed } = engine.fleet;
  // The server that lost a worker can be gone, so each server forgets it.
  // A configured host is another one on each server, unless the worker was there.
  const isShared = !isConfiguredHost(host.name);
  const lost = engine.configuration
    .all("worker")
    .filter(isLostOn(host))
    .filter(({ id }) => isShared || lostHere.has(id));
  const all = new Set([...tokensOn(engine, host), ...lost]);
  const unstarted = [...all].filter(({ id }) => !managed.has(id) && isGone(id));
  for (const { id, endpoint } of unstarted) {
    await retireWorker(engine, endpoint, id, "withdrawn");
    lostHere.delete(id);
  }
}

async function forgetDeleted({ configuration }: Engine, provider: Provider): Promise<void> {
  const endpoints = await provider.kept();
  if (endpoints.length === 0) return;
  await configuration.refresh();
  for (const endpoint of endpoints) {
    if (configuration.get("endpoint", endpoint) === undefined) await provider.forget(endpoint);
  }
}

function isLostOn({ name }: Host): (token: WorkerToken) => boolean {
  return (token) => token.lostAt !== undefined && hostOf(token) === name;
}

/** The records of the workers that this server has on the host, or had. */
function tokensOn(engine: Engine, { name }: Host): WorkerToken[] {
  // Without other servers, all workers are ours: this server may have adopted the data of another one.
  const isAlone = engine.store.shared === undefined;
  return engine.configuration
    .all("worker")
    .filter((token) => hostOf(token) === name && (isAlone || isOwn(engine, token)));
}

function isOwn(engine: Engine, { server }: WorkerToken): boolean {
  return server === undefined || server === engine.server;
}

/** Ids of the workers that have called an earlier server, so that they can have had jobs. */
async function haveCalled({ store }: Engine, tokens: readonly WorkerToken[]): Promise<ReadonlySet<string>> {
  const endpoints = [...new Set(tokens.map(({ endpoint }) => endpoint))];
  const contacts = await Promise.all(endpoints.map((endpoint) => store.workers(endpoint, 0)));
  return new Set(contacts.flat().map(({ worker }) => worker));
}
