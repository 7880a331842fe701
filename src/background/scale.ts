import type { Endpoint } from "../domain/endpoint.ts";
import { ForebayError } from "../domain/errors.ts";
import type { LastExit } from "../domain/fleet-report.ts";
import { servingOf, wantsFirstWorker } from "../domain/release.ts";
import { type EndpointLoad, endpointLoad } from "../engine/health.ts";
import type { Engine } from "../engine/engine.ts";
import { noteCall } from "../engine/cold-starts.ts";
import { ignoresStop } from "../engine/stops.ts";
import { isManaged } from "../engine/launch.ts";
import { isOfOtherVersion } from "../engine/worker-version.ts";
import type { ManagedWorker } from "../engine/fleet-state.ts";
import type { StoredRelease } from "../engine/records/record-bodies.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import { isCrashLoop } from "../fleet/backoff.ts";
import { decide, type WorkerNow } from "../fleet/decide.ts";
import { fleetReport } from "../fleet/fleet-report.ts";
import { StartFault } from "../fleet/provider.ts";
import type { Duty } from "./duty.ts";
import type { FleetWorkers } from "./fleet-workers.ts";
import { followRelease } from "./follow-release.ts";
import { type StartTroubles, startTroubles } from "./start-failures.ts";

/** Signals can be lost; after this many milliseconds the fleet is looked at without one. */
const POLL = 1_000;

/** Signals that come closer together than this, ms, are looked at together. */
const PAUSE = 20;

/** So many of the jobs that wait are looked at for those that count for scaling. */
const LOOKED = 1_000;

/** How many jobs that have waited too long are told from more of them. */
const TOLD = 100;

/** Keeps as many workers running for each endpoint as its jobs want, within its limits. */
export function scaleDuty(engine: Engine, workers: FleetWorkers): Duty {
  const signals = engine.waits.open(FLEET_KEY);
  const troubles = startTroubles(engine);
  /** Those of the version that served before, where a paused release has both start workers. */
  const earlierTroubles = startTroubles(engine);
  /** When jobs will have waited so long that another worker is wanted, by endpoint. */
  const lookAt = new Map<string, number>();
  const haveCalled = new WeakSet<ManagedWorker>();
  /** Workers that are being ended because they failed. */
  const failing = new Set<string>();
  let pollAt = 0;
  // The first look waits for none.
  engine.waits.notify(FLEET_KEY);

  async function run(): Promise<void> {
    await signals.next(nextLook());
    for (const { endpoint, worker, how, lastLines, hasRun, hasCalled } of await workers.settleExits()) {
      failing.delete(worker);
      const happened = hasRun ? "a worker ended by itself" : "a worker could not be started";
      const exit = { worker, how, lastLines };
      trouble(happened, endpoint, exit, hasCalled, troublesOf(endpoint, worker));
    }
    // A stopping server ends all workers itself.
    if (engine.isStopping) return;
    const managed = Map.groupBy(
      engine.fleet.managed.keys(),
      (id) => engine.fleet.managed.get(id)?.endpoint ?? "",
    );
    const due = await endpointsDue(managed);
    const looks = await Promise.allSettled([...due].map((id) => look(id, managed.get(id) ?? [])));
    // One endpoint that fails must not keep the others from their workers.
    for (const outcome of looks) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** What comes with time is not signalled. */
  function nextLook(): number {
    const now = engine.clock.now();
    const times = [...lookAt.values(), ...waitingStarts().values()].filter((at) => at > now);
    return Math.min(pollAt, ...times);
  }

  /** Until when the next start of each endpoint waits. */
  function waitingStarts(): ReadonlyMap<string, number> {
    const [first, second] = [troubles.waiting(), earlierTroubles.waiting()];
    const both = [...first].map(([id, at]) => [id, Math.min(at, second.get(id) ?? at)] as const);
    return new Map([...second, ...both]);
  }

  /** Those that were told of or whose time has come; now and then all that have workers or want some. */
  async function endpointsDue(managed: ReadonlyMap<string, unknown>): Promise<ReadonlySet<string>> {
    const now = engine.clock.now();
    const told = [...engine.fleet.news].filter((id) => {
      return managed.has(id) || isManaged(engine, id) || engine.fleet.coldStarts.has(id);
    });
    engine.fleet.news.clear();
    const ripe = [...lookAt].filter(([, at]) => at <= now).map(([id]) => id);
    const waiting = waitingStarts();
    const over = [...engine.fleet.reports].filter(([id, { nextStartAt }]) => {
      return nextStartAt !== undefined && !waiting.has(id);
    });
    const due = new Set([...told, ...ripe, ...over.map(([id]) => id)]);
    if (now < pollAt) return due;
    pollAt = now + POLL;
    const wanting = new Set((await engine.store.queues()).map(({ endpoint }) => endpoint));
    for (const { id, workersMin } of engine.configuration.all("endpoint")) {
      const isWanting = workersMin > 0 || wanting.has(id) || wantsFirstWorker(servingOfEndpoint(id));
      if (isWanting && isManaged(engine, id)) due.add(id);
    }
    for (const id of [...managed.keys(), ...engine.fleet.reports.keys()]) due.add(id);
    return due;
  }

  async function look(id: string, managed: readonly string[]): Promise<void> {
    await endThoseThatFail(id, managed);
    const { waiting, running } = await endpointLoad(engine, id);
    const seen = workersNow(engine, managed, running);
    const newlyCalled = noteNewlyCalled(managed);
    for (const one of seen.filter((each) => newlyCalled.has(each.id))) troublesOf(id, one.id).called(id);
    await followRelease(engine, { endpoint: id, workers: seen, troubles });
    const endpoint = engine.configuration.get("endpoint", id);
    const waitingSince = await waitingSinceOf(endpoint, waiting, seen);
    // Which version is to run can have changed by now.
    const present = seen.map((worker) => {
      const outdated = isOfOtherVersion(engine, id, worker.id);
      return Object.assign(worker, { isOutdated: outdated, isNew: newlyCalled.has(worker.id) });
    });
    const backoff = troubles.backoff(id);
    const release = servingOfEndpoint(id);
    // A version that cannot start is not tried again and again for nobody.
    const startsFirst = wantsFirstWorker(release) && !isCrashLoop(backoff);
    if (release?.paused === undefined) earlierTroubles.forget(id);
    const earlierBackoff = earlierTroubles.backoff(id);
    const isFailing = (isOld: boolean): boolean =>
      managed.some((worker) => failing.has(worker) && isOfOtherVersion(engine, id, worker) === isOld);
    const decision = decide({
      limits: endpoint && startsFirst ? atLeastOne(endpoint) : endpoint,
      waiting,
      waitingSince,
      workers: present,
      // What follows from a failure is known when the worker is gone.
      startsFrom: isFailing(false) ? Infinity : (backoff?.until ?? 0),
      isCrashLoop: isCrashLoop(backoff),
      isProven: release?.servedAt !== undefined,
      paused: release?.paused && {
        ...release.paused,
        startsFrom: isFailing(true) ? Infinity : (earlierBackoff?.until ?? 0),
        isCrashLoop: isCrashLoop(earlierBackoff),
      },
      now: engine.clock.now(),
    });
    for (const worker of decision.drain) workers.end(worker, engine.durations.drainGrace);
    for (const worker of decision.retire) workers.retire(worker);
    if (endpoint === undefined) {
      forget(id);
      return;
    }
    if (decision.lookAt === undefined) lookAt.delete(id);
    else lookAt.set(id, decision.lookAt);
    const starts = await Promise.all([
      ...Array.from({ length: decision.start }, () => startOne(endpoint, false)),
      ...Array.from({ length: decision.startEarlier }, () => startOne(endpoint, true)),
    ]);
    // Most workers are of the earlier version: what keeps them from starting is told first.
    const told = earlierTroubles.backoff(id) ? earlierTroubles : troubles;
    const report = fleetReport({
      limits: endpoint,
      decision,
      workers: present,
      started: starts.filter(Boolean).length,
      backoff: told.backoff(id),
      lastExit: told.lastExit(id),
      now: engine.clock.now(),
    });
    // What there is nothing to tell of need not be looked at again and again.
    if (report.state === "IDLE" && report.nextStartAt === undefined && report.lastExit === undefined)
      engine.fleet.reports.delete(id);
    else engine.fleet.reports.set(id, report);
  }

  function servingOfEndpoint(id: string): StoredRelease | undefined {
    return servingOf(engine.configuration.releases(id));
  }

  /** Ids of those that have called since the last look for the first time. */
  function noteNewlyCalled(managed: readonly string[]): ReadonlySet<string> {
    const fresh = new Set<string>();
    for (const id of managed) {
      const worker = engine.fleet.managed.get(id);
      if (worker === undefined || !worker.hasCalled || haveCalled.has(worker)) continue;
      haveCalled.add(worker);
      fresh.add(id);
    }
    return fresh;
  }

  function forget(endpoint: string): void {
    troubles.forget(endpoint);
    earlierTroubles.forget(endpoint);
    lookAt.delete(endpoint);
    engine.fleet.reports.delete(endpoint);
    engine.fleet.coldStarts.delete(endpoint);
  }

  async function waitingSinceOf(
    endpoint: Endpoint | undefined,
    waiting: number,
    present: readonly WorkerNow[],
  ): Promise<readonly number[]> {
    if (endpoint?.scalerType !== "QUEUE_DELAY" || waiting === 0 || present.length === 0) return [];
    const limit = Math.min(waiting, endpoint.workersMax + TOLD);
    const found = await engine.store.waitingSince(endpoint.id, limit, LOOKED);
    // So many of low priority stand before the first that counts: it is not looked for, and waits long.
    return found.length === 0 ? [0] : found;
  }

  async function endThoseThatFail(endpoint: string, managed: readonly string[]): Promise<void> {
    const { workerInitTimeout } = engine.durations;
    for (const worker of managed) {
      if (engine.fleet.draining.has(worker)) continue;
      const { hasCalled = false, runsSince } = engine.fleet.managed.get(worker) ?? {};
      const mustHaveCalled = (runsSince ?? Infinity) + workerInitTimeout <= engine.clock.now();
      if (!hasCalled && mustHaveCalled) {
        failing.add(worker);
        workers.fail(worker, `it had not called ${workerInitTimeout} ms after its start`);
      } else if (await ignoresStop(engine, endpoint, worker)) {
        engine.log.warn("a worker that does not stop an ended job is killed", { endpoint, worker });
        workers.end(worker, 0);
      }
    }
  }

  async function startOne(endpoint: Endpoint, isEarlier: boolean): Promise<boolean> {
    try {
      await workers.start(endpoint, isEarlier);
      return true;
    } catch (error) {
      // Its template can be another account's, and public no longer; or say another image by now.
      const isRefused = error instanceof ForebayError && error.code === "TEMPLATE_NOT_FOUND";
      if (!isRefused && !(error instanceof StartFault)) throw error;
      const exit = { worker: undefined, how: error.message, lastLines: [] };
      const its = isEarlier ? earlierTroubles : troubles;
      trouble("a worker could not be started", endpoint.id, exit, false, its);
      return false;
    }
  }

  /** Where the exits and the calls of a worker count. */
  function troublesOf(endpoint: string, worker: string): StartTroubles {
    return isOfOtherVersion(engine, endpoint, worker) ? earlierTroubles : troubles;
  }

  function trouble(
    happened: string,
    endpoint: string,
    exit: Omit<LastExit, "at">,
    hasCalled: boolean,
    its: StartTroubles,
  ): void {
    const at = engine.clock.now();
    const backoff = its.add(endpoint, { ...exit, at }, hasCalled);
    const { worker, how, lastLines } = exit;
    engine.log.warn(happened, {
      endpoint,
      ...(worker === undefined ? {} : { worker }),
      reason: how,
      ...(lastLines.length === 0 ? {} : { lastLines: lastLines.join("\n") }),
      ...(backoff === undefined ? {} : { failures: backoff.failures, nextStartIn: backoff.until - at }),
    });
  }

  return { name: "scale", every: PAUSE, run };
}

function atLeastOne(endpoint: Endpoint): Endpoint {
  return { ...endpoint, workersMin: Math.max(1, endpoint.workersMin) };
}

function workersNow(
  engine: Engine,
  managed: readonly string[],
  running: EndpointLoad["running"],
): WorkerNow[] {
  return managed.flatMap((id) => {
    const worker = engine.fleet.managed.get(id);
    if (worker === undefined) return [];
    const contact = running.get(id);
    // It can have called another server.
    if (contact !== undefined) noteCall(engine, id, contact.lastContact);
    const { running: jobs = 0, runningLowPriority = 0 } = contact ?? {};
    return {
      id,
      jobs: jobs - runningLowPriority,
      isBusy: jobs > 0,
      isStarting: !worker.hasCalled,
      lastJobAt: worker.lastJobAt,
      wantsReplacement: engine.fleet.toReplace.has(id),
      isOutdated: isOfOtherVersion(engine, worker.endpoint, id),
      isNew: false,
      isEnding: engine.fleet.draining.has(id),
    };
  });
}
