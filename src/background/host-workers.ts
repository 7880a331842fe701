import type { Engine } from "../engine/engine.ts";
import type { ManagedWorker } from "../engine/fleet-state.ts";
import { noteRunSince } from "../engine/records/template-uses.ts";
import type { Host } from "../fleet/hosts.ts";

type WorkerSince = Pick<ManagedWorker, "orderedAt" | "runsSince" | "hadJob">;

/** The workers that this server has started or taken over, and where they run. */
export class HostWorkers {
  readonly #engine: Engine;
  readonly #hostOf = new Map<string, Host>();
  /** Workers of which nobody knows whether they run, because their host did not answer. */
  readonly #unsettled = new Set<string>();
  /** Settled when the records say which workers run. */
  #noted: Promise<unknown> = Promise.resolve();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The worker counts from now on. */
  add(worker: string, endpoint: string, host: Host, since: WorkerSince): void {
    const { fleet, clock } = this.#engine;
    this.#hostOf.set(worker, host);
    fleet.managed.set(worker, { endpoint, ...since, lastJobAt: clock.now(), hasCalled: false });
  }

  /** Nothing of the worker is left, or it is lost. */
  remove(worker: string): void {
    this.#hostOf.delete(worker);
    this.#unsettled.delete(worker);
  }

  hostOf(worker: string): Host | undefined {
    return this.#hostOf.get(worker);
  }

  on(host: Host): string[] {
    return [...this.#hostOf].filter(([, its]) => its === host).map(([worker]) => worker);
  }

  /** Whether it runs is seen when its host answers again. */
  unsettle(worker: string): void {
    this.#unsettled.add(worker);
  }

  /** The host answers: these workers exist there. Answers the unsettled ones that do not. */
  settle(host: Host, existing: ReadonlySet<string>): string[] {
    const own = this.on(host).filter((worker) => this.#unsettled.delete(worker));
    for (const worker of own) if (existing.has(worker)) this.noteRunning(worker);
    return own.filter((worker) => !existing.has(worker));
  }

  /** The worker runs: its record says since when. */
  noteRunning(worker: string): void {
    const { fleet, clock, log } = this.#engine;
    const managed = fleet.managed.get(worker);
    if (managed === undefined) return;
    managed.runsSince ??= clock.now();
    const noting = noteRunSince(this.#engine, worker).catch((error: unknown) => {
      log.error("since when a worker runs was not written", { worker, error: String(error) });
    });
    this.#noted = Promise.all([this.#noted, noting]);
  }

  /** Resolves when the records say which workers run. */
  async noted(): Promise<void> {
    await this.#noted;
  }
}
