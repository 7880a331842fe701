import type { Endpoint } from "../domain/endpoint.ts";
import { ForebayError } from "../domain/errors.ts";
import type { LastExit } from "../domain/fleet-report.ts";
import { servingOf, wantsFirstWorker } from "../domain/release.ts";
import { noteCall } from "../engine/cold-starts.ts";
import type { Engine } from "../engine/engine.ts";
import { isOnDrainingHost, type ManagedWorker } from "../engine/fleet-state.ts";
import { type EndpointLoad, endpointLoad } from "../engine/health.ts";
import { ignoresStop } from "../engine/stops.ts";
import { isOfOtherVersion } from "../engine/take-step.ts";
import { isCrashLoop } from "../fleet/backoff.ts";
import { decide, type FleetDecision, type FleetNow, type WorkerNow } from "../fleet/decide.ts";
import { fleetReport } from "../fleet/fleet-report.ts";
import { StartFault } from "../fleet/provider.ts";
import type { FleetWorkers } from "./fleet-workers.ts";
import { followRelease } from "./follow-release.ts";
import { NoRoom } from "./place-worker.ts";
import { failuresByVersion, type StartFailures } from "./start-failures.ts";
import type { UnaskedExit } from "./worker-exits.ts";

/** How many of the waiting jobs we read to find those that count for scaling. */
const MOST_READ = 1_000;

/** Upper bound on how many overdue jobs we count beyond `workersMax`. */
const MOST_OVERDUE = 100;

/** Keeps as many workers of an endpoint running as its jobs need, within its limits. */
export class EndpointScaler {
  readonly failures: ReturnType<typeof failuresByVersion>;
  /** When jobs will have waited long enough for another worker, by endpoint. */
  readonly lookAt = new Map<string, number>();
  readonly #engine: Engine;
  readonly #workers: FleetWorkers;
  /** The workers that had called by the last look. */
  readonly #haveCalled = new WeakSet<ManagedWorker>();
  /** Workers that are being killed because they failed. */
  readonly #failing = new Set<string>();

  constructor(engine: Engine, workers: FleetWorkers) {
    this.#engine = engine;
    this.#workers = workers;
    this.failures = failuresByVersion(engine);
  }

  /** A worker has ended by itself, or could not be started: the next start may have to wait. */
  exited({ endpoint, worker, how, lastLines, hasRun, hasCalled }: UnaskedExit): void {
    this.#failing.delete(worker);
    const message = hasRun ? "a worker exited" : "a worker could not be started";
    const failures = this.failures.of(endpoint, worker);
    this.#noteFailure(message, endpoint, { worker, how, lastLines }, hasCalled, failures);
  }

  /** Starts and stops workers of the endpoint. `managed` are the ids of its workers. */
  async look(id: string, managed: readonly string[]): Promise<void> {
    const engine = this.#engine;
    await this.#endFailing(id, managed);
    const { waiting, running } = await endpointLoad(engine, id);
    const found = workersNow(engine, managed, running);
    const newlyCalled = this.#newlyCalled(managed);
    for (const worker of newlyCalled) this.failures.of(id, worker).called(id);
    await followRelease(engine, { endpoint: id, workers: found, failures: this.failures.newest });
    const endpoint = engine.configuration.get("endpoint", id);
    const waitingSince = await this.#waitingSince(endpoint, waiting, found);
    const allowed = this.#allowedStarts(id, endpoint, managed);
    // The version that is to run can have changed meanwhile.
    const workers = found.map((worker) => {
      const isOutdated = isOfOtherVersion(engine, id, worker.id) || this.#isLeaving(worker, allowed.paused);
      return Object.assign(worker, { isOutdated, isNew: newlyCalled.has(worker.id) });
    });
    const now = engine.clock.now();
    const decision = decide({ ...allowed, waiting, waitingSince, workers, now });
    for (const worker of decision.drain) this.#workers.end(worker, engine.durations.drainGrace);
    for (const worker of decision.retire) this.#workers.retire(worker);
    if (endpoint === undefined) {
      this.#forget(id);
      return;
    }
    if (decision.lookAt === undefined) this.lookAt.delete(id);
    else this.lookAt.set(id, decision.lookAt);
    const starts = await this.#start(endpoint, decision);
    const isEndingSome = decision.drain.length + decision.retire.length > 0;
    if (allowed.paused === undefined && !isEndingSome) this.#makeRoom(workers, starts.noRoom);
    this.#report(endpoint, decision, workers, starts);
  }

  /** Ends workers that did not call in time, or that do not stop an ended job. */
  async #endFailing(endpoint: string, managed: readonly string[]): Promise<void> {
    const { fleet, clock, log, durations } = this.#engine;
    const { workerInitTimeout } = durations;
    for (const worker of managed) {
      if (fleet.draining.has(worker)) continue;
      const { hasCalled = false, runsSince } = fleet.managed.get(worker) ?? {};
      const mustHaveCalled = (runsSince ?? Infinity) + workerInitTimeout <= clock.now();
      if (!hasCalled && mustHaveCalled) {
        this.#failing.add(worker);
        this.#workers.fail(worker, `it did not connect within ${workerInitTimeout} ms`);
      } else if (await ignoresStop(this.#engine, endpoint, worker)) {
        log.warn("a worker that does not stop an ended job is killed", { endpoint, worker });
        this.#workers.end(worker, 0);
      }
    }
  }

  /** Ids of the workers that have called for the first time since the last look. */
  #newlyCalled(managed: readonly string[]): ReadonlySet<string> {
    const fresh = new Set<string>();
    for (const id of managed) {
      const worker = this.#engine.fleet.managed.get(id);
      if (worker === undefined || !worker.hasCalled || this.#haveCalled.has(worker)) continue;
      this.#haveCalled.add(worker);
      fresh.add(id);
    }
    return fresh;
  }

  async #waitingSince(
    endpoint: Endpoint | undefined,
    waiting: number,
    workers: readonly WorkerNow[],
  ): Promise<readonly number[]> {
    if (endpoint?.scalerType !== "QUEUE_DELAY" || waiting === 0 || workers.length === 0) return [];
    const limit = Math.min(waiting, endpoint.workersMax + MOST_OVERDUE);
    const found = await this.#engine.store.waitingSince(endpoint.id, limit, MOST_READ);
    // So many jobs of low priority come before the first one that counts: that one has waited long.
    return found.length === 0 ? [0] : found;
  }

  /** What the release and the failures of its workers allow to start. */
  #allowedStarts(
    id: string,
    endpoint: Endpoint | undefined,
    managed: readonly string[],
  ): Pick<FleetNow, "limits" | "startsFrom" | "isCrashLoop" | "isProven" | "paused"> {
    const { newest, earlier } = this.failures;
    const backoff = newest.backoff(id);
    const release = servingOf(this.#engine.configuration.releases(id));
    // A version that cannot start is not tried again and again if no job needs it.
    const startsFirst = wantsFirstWorker(release) && !isCrashLoop(backoff);
    if (release?.paused === undefined) earlier.forget(id);
    const earlierBackoff = earlier.backoff(id);
    const isFailing = (isOther: boolean): boolean =>
      managed.some(
        (worker) => this.#failing.has(worker) && isOfOtherVersion(this.#engine, id, worker) === isOther,
      );
    return {
      limits: endpoint && startsFirst ? atLeastOne(endpoint) : endpoint,
      // The backoff after a failure is known when the worker is gone.
      startsFrom: isFailing(false) ? Infinity : (backoff?.until ?? 0),
      isCrashLoop: isCrashLoop(backoff),
      isProven: release?.servedAt !== undefined,
      paused: release?.paused && {
        ...release.paused,
        startsFrom: isFailing(true) ? Infinity : (earlierBackoff?.until ?? 0),
        isCrashLoop: isCrashLoop(earlierBackoff),
      },
    };
  }

  async #start(endpoint: Endpoint, { start, startEarlier }: FleetDecision): Promise<Starts> {
    const starts = await Promise.all([
      ...Array.from({ length: start }, () => this.#startOne(endpoint, false)),
      ...Array.from({ length: startEarlier }, () => this.#startOne(endpoint, true)),
    ]);
    return {
      started: starts.filter((outcome) => outcome === "started").length,
      noRoom: starts.find((outcome) => outcome instanceof NoRoom),
    };
  }

  async #startOne(endpoint: Endpoint, isEarlier: boolean): Promise<"started" | "failed" | NoRoom> {
    try {
      await this.#workers.start(endpoint, isEarlier);
      return "started";
    } catch (error) {
      // It is no failure: the worker starts when there is room.
      if (error instanceof NoRoom) return error;
      // The template can belong to another account, which made it private or changed its image.
      const isRefused = error instanceof ForebayError && error.code === "TEMPLATE_NOT_FOUND";
      if (!isRefused && !(error instanceof StartFault)) throw error;
      const exit = { worker: undefined, how: error.message, lastLines: [] };
      const failures = isEarlier ? this.failures.earlier : this.failures.newest;
      this.#noteFailure("a worker could not be started", endpoint.id, exit, false, failures);
      return "failed";
    }
  }

  /** Whether a draining host replaces the worker as a release does. A paused release counts by version. */
  #isLeaving({ id, wantsReplacement }: WorkerNow, paused: FleetNow["paused"]): boolean {
    if (!isOnDrainingHost(this.#engine, id)) return false;
    if (paused !== undefined && !wantsReplacement) this.#workers.retire(id);
    return paused === undefined;
  }

  /**
   * A release that finds no room beside the old workers replaces them one by one: if the new worker would fit
   * without them, one ends first. Workers on a draining host end one by one, even if no other host has room.
   */
  #makeRoom(workers: readonly WorkerNow[], noRoom: NoRoom | undefined): void {
    const isMakingRoom = workers.some(({ isEnding, wantsReplacement }) => isEnding || wantsReplacement);
    if (noRoom === undefined || isMakingRoom) return;
    const old = workers.filter(({ isOutdated }) => isOutdated);
    const isEnough = noRoom.fitsWithout(new Set(old.map(({ id }) => id)));
    const going = isEnough ? old : old.filter(({ id }) => isOnDrainingHost(this.#engine, id));
    const first = going.find(({ isBusy }) => !isBusy) ?? going[0];
    if (first !== undefined) this.#workers.retire(first.id);
  }

  #noteFailure(
    message: string,
    endpoint: string,
    exit: Omit<LastExit, "at">,
    hasCalled: boolean,
    failures: StartFailures,
  ): void {
    const at = this.#engine.clock.now();
    const backoff = failures.add(endpoint, { ...exit, at }, hasCalled);
    const { worker, how, lastLines } = exit;
    this.#engine.log.warn(message, {
      endpoint,
      ...(worker === undefined ? {} : { worker }),
      reason: how,
      ...(lastLines.length === 0 ? {} : { lastLines: lastLines.join("\n") }),
      ...(backoff === undefined ? {} : { failures: backoff.failures, nextStartIn: backoff.until - at }),
    });
  }

  #report(
    endpoint: Endpoint,
    decision: FleetDecision,
    workers: readonly WorkerNow[],
    { started, noRoom }: Starts,
  ): void {
    const { id } = endpoint;
    const { newest, earlier } = this.failures;
    // Most workers have the earlier version, so the report shows what prevents their starts first.
    const shown = earlier.backoff(id) ? earlier : newest;
    const report = fleetReport({
      limits: endpoint,
      decision,
      workers,
      started,
      noRoom: noRoom?.message,
      backoff: shown.backoff(id),
      lastExit: shown.lastExit(id),
      now: this.#engine.clock.now(),
    });
    // An endpoint with nothing to report need not be looked at again and again.
    const isEmpty =
      report.state === "IDLE" && report.nextStartAt === undefined && report.lastExit === undefined;
    if (isEmpty) this.#engine.fleet.reports.delete(id);
    else this.#engine.fleet.reports.set(id, report);
  }

  #forget(endpoint: string): void {
    this.failures.newest.forget(endpoint);
    this.failures.earlier.forget(endpoint);
    this.lookAt.delete(endpoint);
    this.#engine.fleet.reports.delete(endpoint);
    this.#engine.fleet.coldStarts.delete(endpoint);
  }
}

interface Starts {
  /** How many workers were started. */
  readonly started: number;
  /** Undefined if each worker fits somewhere. */
  readonly noRoom: NoRoom | undefined;
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
