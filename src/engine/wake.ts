import type { Signal } from "../store/signals.ts";
import type { SharedData } from "../store/store.ts";
import { type FleetNews, notifyFleet } from "./fleet-state.ts";
import { noteFirstJob } from "./cold-starts.ts";
import type { WithHistory } from "./history.ts";
import { workerKey } from "./known-workers.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { Claim } from "./parked-takes.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { outlives } from "./seen.ts";
import type { WithStatistics } from "./statistics/statistics.ts";
import { type Stops, wakeForLostStops } from "./stops.ts";
import { isPaused, takeStep } from "./take-step.ts";
import type { WithLog, WithWaits } from "./verb-needs.ts";
import { CHUNK_KEYS, chunkKey, DELIVERY_KEY, END_KEYS, endKey, stopKey, stopKeys } from "./wait-keys.ts";
import type { HandOuts } from "./worker-service.ts";

/** What giving waiting jobs to parked calls needs. */
export interface Offering extends HandOuts, FleetNews, WithLog {}

/** What following commits needs. */
export interface Following extends Offering, OpenCalls, Stops, WithHistory, WithStatistics {
  /** Each is called with every committed change. A hint: it can be lost, and everything can be read. */
  readonly observers: Set<(signal: Signal) => void>;
}

/**
 * Turns what the store has committed into resolved waits. Signals are hints and may be lost, so
 * `offerWaiting` asks for waiting jobs now and then as well.
 */
export function wakeOnSignals(engine: Following): void {
  engine.store.onSignals((signals, isOwn) => {
    engine.statistics.follow(signals, isOwn);
    engine.endedJobs.follow(signals, isOwn);
    const queued = new Map<string, string>();
    for (const signal of signals) follow(engine, signal, queued);
    if (queued.size > 0) offerQueued(engine, queued);
    for (const observe of engine.observers) for (const signal of signals) observe(signal);
  });
}

/**
 * Offers jobs of queues that were thought empty, or that a worker was barred from, to the parked calls; calls
 * that come ask the store again.
 */
export async function offerWaiting(engine: Offering): Promise<void> {
  engine.queueHints.forget();
  const parked = new Set(engine.parkedTakes.endpoints());
  if (parked.size === 0) return;
  for (const { endpoint, queued } of await engine.store.queues()) {
    if (parked.has(endpoint) && !isPaused(engine, endpoint)) offer(engine, endpoint, queued);
  }
}

/** Everything that another server may have done: the configuration, and what calls here wait for. */
export async function lookAgain(engine: Following): Promise<void> {
  await engine.configuration.refresh();
  for (const keys of [END_KEYS, CHUNK_KEYS]) engine.waits.notifyAll(keys);
  const { shared } = engine.store;
  if (shared === undefined) return;
  await wakeForLostStops(engine, shared);
  await clearOutlivedHangUps(engine, shared);
}

/**
 * A worker that hung up at one server can have calls open at another one, or call it so soon that the call is
 * not written. So each server says of the workers that have hung up which of them it knows to live.
 */
async function clearOutlivedHangUps(engine: OpenCalls, shared: SharedData): Promise<void> {
  if (engine.lastCalls.size === 0 && engine.openCalls.size === 0) return;
  for (const { endpoint, worker: id, at } of await shared.hangUps()) {
    const key = workerKey({ endpoint, id });
    const calledAt = engine.lastCalls.get(key) ?? Number.NEGATIVE_INFINITY;
    if (engine.openCalls.has(key) || calledAt >= at) await outlives(engine, { endpoint, id });
  }
}

/** `queued`: by id, the endpoints of jobs that came into the queue with this commit and did not leave it. */
function follow(engine: Following, signal: Signal, queued: Map<string, string>): void {
  const { event, endpoint, id, worker, added } = signal;
  engine.workerLoad.follow(signal);
  engine.losses.follow(signal);
  const managed = worker === undefined ? undefined : engine.fleet.managed.get(worker);
  if (worker !== undefined && managed !== undefined) {
    managed.lastJobAt = engine.clock.now();
    noteFirstJob(engine, worker, managed, signal);
  }
  switch (event) {
    case "enqueue":
    case "retry":
    case "giveBack":
      queued.set(id, endpoint);
      // What the attempt has put out is gone.
      engine.waits.notify(chunkKey(endpoint, id));
      break;
    case "take":
      queued.delete(id);
      // The worker was asked to stop an earlier attempt.
      if (worker !== undefined && engine.stopsTold.size > 0)
        engine.stopsTold.get(stopKey(endpoint, worker))?.delete(id);
      break;
    case "cancel":
    case "completeLate":
    case "cutOff":
    case "timeOut":
      // Only such a job still runs at the worker that holds it.
      if (worker !== undefined) engine.waits.notify(stopKey(endpoint, worker));
      notifyEnd(engine, endpoint, id);
      break;
    case "complete":
    case "fail":
    case "giveUp":
    case "purge":
    case "forget":
      notifyEnd(engine, endpoint, id);
      break;
    case "append":
      engine.waits.notify(chunkKey(endpoint, id), added);
      break;
    case "deliver":
      engine.waits.notify(DELIVERY_KEY);
      break;
    case "put":
    case "remove":
      followConfiguration(engine, signal).catch((error: unknown) => {
        engine.log.error("configuration could not be read", { error: String(error) });
      });
      break;
  }
}

/** Workers of an endpoint that is gone are refused from here on, and those that wait are answered. */
async function followConfiguration(engine: Following, { event, endpoint, id }: Signal): Promise<void> {
  await engine.configuration.refresh();
  for (const changed of endpoint === "" ? endpointsOn(engine, id) : [endpoint]) notifyFleet(engine, changed);
  // It can have been paused.
  if (event === "put" && endpoint !== "" && !isPaused(engine, endpoint)) {
    const queued = (await engine.store.counts(endpoint))?.queued ?? 0;
    if (queued > 0) offer(engine, endpoint, queued);
  }
  if (event === "remove" && endpoint !== "") {
    engine.parkedTakes.releaseAll(endpoint);
    engine.waits.notifyAll(stopKeys(endpoint));
  }
}

/** Those on the template of this id, if it is one. */
function endpointsOn({ configuration }: WithConfiguration, template: string): string[] {
  if (configuration.get("template", template) === undefined) return [];
  const endpoints = configuration.all("endpoint").filter(({ templateId }) => templateId === template);
  return endpoints.map(({ id }) => id);
}

function notifyEnd(engine: WithWaits, endpoint: string, id: string): void {
  engine.waits.notify(endKey(endpoint, id));
  engine.waits.notify(chunkKey(endpoint, id));
}

function offerQueued(engine: Offering, queued: ReadonlyMap<string, string>): void {
  const counts = new Map<string, number>();
  for (const endpoint of queued.values()) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  for (const [endpoint, count] of counts) offer(engine, endpoint, count);
}

/** Up to `count` waiting jobs go to parked calls; what is left waits for the next call, or a new worker. */
function offer(engine: Offering, endpoint: string, count: number): void {
  engine.queueHints.arrived(endpoint);
  for (let left = count; left > 0; left--) {
    const claim = engine.parkedTakes.claim(endpoint);
    if (claim === undefined) {
      notifyFleet(engine, endpoint);
      return;
    }
    takeForClaim(engine, endpoint, claim).catch((error: unknown) => {
      engine.log.error("a waiting job could not be handed out", { endpoint, error: String(error) });
    });
  }
}

/**
 * Takes the oldest waiting job for the parked call of the claim, and continues with other calls while a job
 * waits: the worker may be barred from it, and the job that it got may be another one, which came back
 * meanwhile.
 */
async function takeForClaim(engine: Offering, endpoint: string, first: Claim): Promise<void> {
  const barred = new Set<string>();
  for (let claim: Claim | undefined = first; claim !== undefined;) {
    const arrivals = engine.queueHints.arrivals(endpoint);
    const isServed = await takeFor(engine, endpoint, claim);
    // What arrives while a place is claimed finds it taken.
    if (!isServed && arrivals === engine.queueHints.arrivals(endpoint)) barred.add(claim.worker);
    const counts = await engine.store.counts(endpoint);
    claim = (counts?.queued ?? 0) > 0 ? engine.parkedTakes.claim(endpoint, barred) : undefined;
  }
}

/** False when there was no job for the worker. */
async function takeFor(engine: Offering, endpoint: string, claim: Claim): Promise<boolean> {
  const step = takeStep(engine, endpoint, claim.worker, 1);
  try {
    const [[job]] = await engine.store.apply([step], engine.clock.now());
    claim.settle(job);
    return job !== undefined;
  } catch (error) {
    claim.settle(undefined);
    throw error;
  }
}
