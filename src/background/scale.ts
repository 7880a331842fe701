import { servingOf, wantsFirstWorker } from "../domain/release.ts";
import type { Engine } from "../engine/engine.ts";
import { isManaged } from "../engine/launch.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import type { FleetWorkers } from "./fleet-workers.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";
import { EndpointScaler } from "./scale-endpoint.ts";

/** A signal can be lost. We look at all fleets at the latest after this, ms. */
const POLL = 1_000;

/** Signals that come closer together than this, ms, share one look. */
const PAUSE = 20;

type Managed = ReadonlyMap<string, readonly string[]>;

/** Keeps as many workers running for each endpoint as its jobs need, within its limits. */
export function scaleJob(engine: Engine, workers: FleetWorkers): BackgroundJob {
  const signals = engine.waits.open(FLEET_KEY);
  const scaler = new EndpointScaler(engine, workers);
  const due = dueEndpoints(engine, scaler);
  // The first look does not wait for a signal.
  engine.waits.notify(FLEET_KEY);

  async function run(): Promise<void> {
    await signals.next(due.nextLook());
    for (const exit of await workers.settleExits()) scaler.exited(exit);
    // A stopping server ends all workers itself.
    if (engine.isStopping) return;
    const managed: Managed = Map.groupBy(
      engine.fleet.managed.keys(),
      (id) => engine.fleet.managed.get(id)?.endpoint ?? "",
    );
    const endpoints = await due.take(managed);
    const looks = await Promise.allSettled(
      [...endpoints].map((id) => scaler.look(id, managed.get(id) ?? [])),
    );
    // One endpoint that fails must not keep the others from their workers.
    for (const outcome of looks) if (outcome.status === "rejected") throw outcome.reason;
  }

  return { name: "scale", every: PAUSE, run };
}

/** The endpoints at whose workers to look, and when. */
interface DueEndpoints {
  /** The time of the next look if no signal comes before: no signal says that time has passed. */
  nextLook(): number;
  /**
   * The endpoints with a signal, or whose time has come. Once per `POLL` also all others that have workers or
   * need some. `managed` are the workers by endpoint.
   */
  take(managed: Managed): Promise<ReadonlySet<string>>;
}

function dueEndpoints(engine: Engine, { failures, lookAt }: EndpointScaler): DueEndpoints {
  const { fleet, clock, configuration } = engine;
  let pollAt = 0;

  /** Ids of the endpoints with a signal, or whose time has come. */
  function takeSignalled(managed: Managed): Set<string> {
    const now = clock.now();
    const signalled = [...fleet.news].filter((id) => {
      return managed.has(id) || isManaged(engine, id) || fleet.coldStarts.has(id);
    });
    fleet.news.clear();
    const ripe = [...lookAt].filter(([, at]) => at <= now).map(([id]) => id);
    const waiting = failures.waiting();
    const over = [...fleet.reports].filter(([id, { nextStartAt }]) => {
      return nextStartAt !== undefined && !waiting.has(id);
    });
    return new Set([...signalled, ...ripe, ...over.map(([id]) => id)]);
  }

  return {
    nextLook() {
      const now = clock.now();
      const times = [...lookAt.values(), ...failures.waiting().values()].filter((at) => at > now);
      return Math.min(pollAt, ...times);
    },

    async take(managed) {
      const now = clock.now();
      const due = takeSignalled(managed);
      if (now < pollAt) return due;
      pollAt = now + POLL;
      const queued = new Set((await engine.store.queues()).map(({ endpoint }) => endpoint));
      for (const { id, workersMin } of configuration.all("endpoint")) {
        const isFirst = wantsFirstWorker(servingOf(configuration.releases(id)));
        const needsWorkers = workersMin > 0 || queued.has(id) || isFirst;
        if (needsWorkers && isManaged(engine, id)) due.add(id);
      }
      for (const id of [...managed.keys(), ...fleet.reports.keys()]) due.add(id);
      return due;
    },
  };
}
