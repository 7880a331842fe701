import type { MemoryJob } from "../../src/store/memory/memory-job.ts";
import type { SimulatedServer } from "./server.ts";
import type { SimulatedWorker } from "./worker.ts";
import type { World } from "./world.ts";

/**
 * In calm weather a stop is told within milliseconds. If a repeated call got it instead of the worker, it is
 * told again after 3 s. So many looks, one each second, must find the worker waiting for it.
 */
const LOOKS = 8;

/** Calls that were made before a fault can still be open. They are answered within this, ms. */
const CALM = 1_000;

interface DueStop {
  readonly id: string;
  readonly worker: string;
  looks: number;
}

/** Jobs that ended while a worker ran them: the server must tell that worker to stop. */
export class UntoldStops {
  readonly #due = new Map<string, DueStop>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  changed(before: MemoryJob | undefined, job: MemoryJob): void {
    const { endpoint, id, state } = job;
    const key = `${endpoint}/${id}`;
    if (before?.state === "IN_PROGRESS" && before.holder !== null) {
      // In the same commit it was given back first, or its worker reported after the end: nobody is to stop.
      if (this.#world.invariants.leftAt(job) > this.#world.agenda.now - CALM && job.holder === null) return;
      const isOvertaken = state === "COMPLETED" && job.worker !== before.holder;
      if (state !== "CANCELLED" && state !== "TIMED_OUT" && !isOvertaken) return;
      this.#due.set(key, { id, worker: before.holder, looks: 0 });
      return;
    }
    // It was retried, or its worker has stopped, or is lost.
    if (before?.holder !== job.holder) this.#due.delete(key);
  }

  /** A stop that nobody told, as a sentence. Called once a second. */
  look(): string | undefined {
    const { workers, weather, agenda, invariants } = this.#world;
    const isCalm = weather.struckAt < agenda.now - CALM;
    for (const [key, due] of this.#due) {
      const { id, worker } = due;
      const holder = workers.find(({ name }) => name === worker);
      if (holder?.runsUntold(id) !== true || !invariants.has(id)) this.#due.delete(key);
      else if (isCalm && holder.isRunning && this.#listens(holder)) due.looks++;
      else due.looks = 0;
      if (due.looks >= LOOKS) return `${worker} runs job ${id}, which has ended, and nobody tells it to stop`;
    }
    return undefined;
  }

  /** Whether a server that runs has a call of the worker that a stop can answer. */
  #listens({ endpoint, id }: SimulatedWorker): boolean {
    const { servers, agenda } = this.#world;
    const isSound = ({ process }: SimulatedServer): boolean => process.pausedUntil < agenda.now - CALM;
    const open = servers.filter(isSound).flatMap((server) => server.callsOpenSince(agenda.now));
    return ["job-stop", "exchange"].some((route) =>
      open.some((url) => url.includes(`/v2/${endpoint}/${route}/${id}`)),
    );
  }
}
