import type { Engine } from "../engine/engine.ts";
import { FLEET_KEY } from "../engine/wait-keys.ts";
import { retireWorker } from "../engine/worker-gone.ts";
import type { WorkerExit } from "../fleet/provider.ts";

/** The exit of a worker that nobody had asked to end. */
export interface UnaskedExit extends WorkerExit {
  readonly endpoint: string;
  /** False if the worker could not be started. */
  readonly hasRun: boolean;
  readonly hasCalled: boolean;
}

/** An exit, with whether the worker was asked, or had asked, to end. */
interface Exit extends WorkerExit {
  readonly wasAsked: boolean;
  readonly hasRun: boolean;
}

/** The workers that have ended, until their jobs are handed out again. */
export class WorkerExits {
  readonly #engine: Engine;
  readonly #exits: Exit[] = [];
  /** Why workers that failed were killed. */
  readonly #failures = new Map<string, string>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The worker is about to be killed because it has failed: `because` is the reason of its end. */
  expectFailure(worker: string, because: string): void {
    this.#failures.set(worker, because);
  }

  /** The worker has ended, or without `hasRun` could not be started. */
  add(exit: WorkerExit, hasRun: boolean): void {
    const { fleet, waits } = this.#engine;
    const { worker } = exit;
    const failure = this.#failures.get(worker);
    const wasTold = fleet.draining.has(worker) || fleet.toReplace.has(worker);
    const wasAsked = wasTold && failure === undefined;
    this.#exits.push({ ...exit, how: failure ?? exit.how, wasAsked, hasRun });
    waits.notify(FLEET_KEY);
  }

  /** Hands the jobs of ended workers out again. Calls `onSettled` for each, and answers the unasked exits. */
  async settle(onSettled: (worker: string) => void): Promise<readonly UnaskedExit[]> {
    const { fleet } = this.#engine;
    const unasked: UnaskedExit[] = [];
    for (let exit = this.#exits[0]; exit !== undefined; exit = this.#exits[0]) {
      const { wasAsked, ...shown } = exit;
      const { worker, how, hasRun } = shown;
      const managed = fleet.managed.get(worker);
      // The exit stays in the list until this has succeeded: otherwise the next run tries again.
      if (managed !== undefined && (wasAsked || !hasRun)) {
        await retireWorker(this.#engine, managed.endpoint, worker, "withdrawn");
      } else if (managed !== undefined) {
        await retireWorker(this.#engine, managed.endpoint, worker, "died", how);
      }
      this.#exits.shift();
      onSettled(worker);
      this.#failures.delete(worker);
      if (managed === undefined) continue;
      const { endpoint, hasCalled } = managed;
      fleet.news.add(endpoint);
      if (!wasAsked) unasked.push({ ...shown, endpoint, hasCalled });
    }
    return unasked;
  }
}
