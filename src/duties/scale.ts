import type { Endpoint } from "../domain/endpoint.ts";
import { ForebayError } from "../domain/errors.ts";
import { commandNameOf } from "../domain/template.ts";
import { endpointLoad } from "../engine/endpoint-load.ts";
import type { Engine } from "../engine/engine.ts";
import { ignoresStop } from "../engine/ignores-stop.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import { type Backoff, backoffAfter } from "../fleet/backoff.ts";
import { decide, type WorkerNow } from "../fleet/decide.ts";
import { StartFault } from "../fleet/provider.ts";
import type { Duty } from "./duty.ts";
import type { FleetWorkers } from "./fleet-workers.ts";

/** Signals can be lost; after this many milliseconds the fleet is looked at without one. */
const POLL = 1_000;

/** Signals that come closer together than this, ms, are looked at together. */
const PAUSE = 50;

/** Keeps as many workers running for each endpoint as its jobs want, within its limits. */
export function scaleDuty(engine: Engine, workers: FleetWorkers): Duty {
  const signals = engine.waits.open(FLEET_KEY);
  const backoffs = new Map<string, Backoff>();
  // The first look waits for none.
  engine.waits.notify(FLEET_KEY);

  async function run(): Promise<void> {
    await signals.next(nextLook());
    for (const { endpoint, worker, how } of await workers.settleExits()) {
      backOff("a worker ended by itself", endpoint, { worker, reason: how });
    }
    // A stopping server ends all workers itself.
    if (engine.isStopping) return;
    const managed = Map.groupBy(engine.managed.keys(), (id) => engine.managed.get(id)?.endpoint ?? "");
    const endpoints = new Set([...managed.keys(), ...engine.shortages.keys(), ...endpointsToRun(engine)]);
    const looks = await Promise.allSettled([...endpoints].map((id) => look(id, managed.get(id) ?? [])));
    // One endpoint that fails must not keep the others from their workers.
    for (const outcome of looks) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** The end of a wait before the next start is not signalled. */
  function nextLook(): number {
    const now = engine.clock.now();
    const ends = [...backoffs.values()].map(({ until }) => until).filter((until) => until > now);
    return Math.min(now + POLL, ...ends);
  }

  async function look(id: string, managed: readonly string[]): Promise<void> {
    const endpoint = engine.configuration.get("endpoint", id);
    await endThoseThatIgnoreStops(id, managed);
    const { waiting, running } = await endpointLoad(engine, id);
    const present = workersNow(engine, managed, running);
    // Jobs that run want no other worker, whoever runs them: several at one, or one that came by itself.
    const busy = present.filter(({ isBusy, isEnding }) => isBusy && !isEnding);
    const { start, drain, throttled, missing } = decide({
      limits: endpoint,
      demand: waiting + busy.length,
      workers: present,
      startsFrom: backoffs.get(id)?.until ?? 0,
      now: engine.clock.now(),
    });
    for (const worker of drain) workers.end(worker, engine.durations.drainGrace);
    if (endpoint === undefined) {
      backoffs.delete(id);
      engine.shortages.delete(id);
      return;
    }
    const started = await Promise.all(Array.from({ length: start }, () => startOne(endpoint)));
    const isBackingOff = (backoffs.get(id)?.until ?? 0) > engine.clock.now();
    const unhealthy = isBackingOff ? missing - started.filter(Boolean).length : 0;
    engine.shortages.set(id, { throttled, unhealthy });
  }

  async function endThoseThatIgnoreStops(endpoint: string, managed: readonly string[]): Promise<void> {
    for (const worker of managed) {
      if (engine.draining.has(worker) || !(await ignoresStop(engine, endpoint, worker))) continue;
      engine.log.warn("a worker that does not stop an ended job is killed", { endpoint, worker });
      workers.end(worker, 0);
    }
  }

  async function startOne(endpoint: Endpoint): Promise<boolean> {
    try {
      await workers.start(endpoint);
      return true;
    } catch (error) {
      // Its template can be another account's, and public no longer.
      const isTemplateGone = error instanceof ForebayError && error.code === "TEMPLATE_NOT_FOUND";
      if (!(error instanceof StartFault) && !isTemplateGone) throw error;
      backOff("a worker could not be started", endpoint.id, { reason: error.message });
      return false;
    }
  }

  function backOff(happened: string, endpoint: string, fields: { worker?: string; reason: string }): void {
    const now = engine.clock.now();
    const backoff = backoffAfter(backoffs.get(endpoint), now);
    backoffs.set(endpoint, backoff);
    const { failures, until } = backoff;
    engine.log.warn(happened, { endpoint, ...fields, failures, nextStartIn: until - now });
  }

  return { name: "scale", every: PAUSE, run };
}

/** Those whose template names a command; the workers of all others come by themselves. */
function endpointsToRun({ configuration }: Engine): string[] {
  const endpoints = configuration.all("endpoint").filter(({ templateId }) => {
    const template = templateId === undefined ? undefined : configuration.get("template", templateId);
    return template !== undefined && commandNameOf(template.imageName) !== undefined;
  });
  return endpoints.map(({ id }) => id);
}

function workersNow(
  engine: Engine,
  managed: readonly string[],
  running: ReadonlyMap<string, number>,
): WorkerNow[] {
  return managed.flatMap((id) => {
    const worker = engine.managed.get(id);
    if (worker === undefined) return [];
    if (running.has(id)) worker.hasCalled = true;
    return {
      id,
      isBusy: (running.get(id) ?? 0) > 0,
      lastJobAt: worker.lastJobAt,
      wantsReplacement: engine.toReplace.has(id),
      isEnding: engine.draining.has(id),
    };
  });
}
