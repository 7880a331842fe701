import type { MemoryJob } from "../../src/store/memory/memory-job.ts";
import type { World } from "./world.ts";

interface HandOut {
  readonly worker: string;
  /** Undefined: the public protocol does not tell it. */
  readonly attempt: number | undefined;
  readonly at: number;
}

/** Which hand-out ended which run of a job. A retry begins a new run. */
export class Runs {
  /** When each worker of the public protocol got a job last, by the job and the worker. */
  readonly #lastTo = new Map<string, number>();
  /** By the mark that the result names. */
  readonly #handOuts = new Map<string, HandOut>();
  /** When the newest run of a job began, if that is not the first one. */
  readonly #began = new Map<string, number>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  handedOut(mark: string, job: string, worker: string, attempt: number | undefined): void {
    const at = this.#world.agenda.now;
    this.#handOuts.set(mark, { worker, attempt, at });
    if (attempt === undefined) this.#lastTo.set(`${job}/${worker}`, at);
  }

  /** Whether the hand-out is this attempt: the first one is, where the worker was not told. */
  isAttempt(mark: string, attempt: number): boolean {
    const handOut = this.#handOuts.get(mark);
    return handOut !== undefined && (handOut.attempt ?? 1) === attempt;
  }

  /** Says whether the result of an earlier run has ended this one. */
  changed(before: MemoryJob | undefined, job: MemoryJob): string | undefined {
    if (before === undefined) return undefined;
    const { agenda, tally } = this.#world;
    const key = `${job.endpoint}/${job.id}`;
    if (before.ended_at !== null) {
      if (job.ended_at === null) this.#began.set(key, agenda.now);
      return undefined;
    }
    const began = this.#began.get(key);
    const handOut = this.#handOuts.get(this.#markOf(job) ?? "");
    if (handOut === undefined) return undefined;
    // Who holds the job now reports for this run, whatever it means: the public protocol names no attempt.
    const isLate = before.holder !== handOut.worker && before.attempt === job.attempt;
    if (isLate) tally.add("action late result");
    if (!isLate || began === undefined || handOut.at >= began) return undefined;
    // Of a worker that got the job again nobody can tell which of its hand-outs a result is from.
    if ((this.#lastTo.get(`${job.id}/${handOut.worker}`) ?? 0) >= began) return undefined;
    return `job ${job.id} was ended by the result of an earlier run, of ${handOut.worker}`;
  }

  #markOf({ output, error }: MemoryJob): string | undefined {
    const payload = output ?? error;
    if (payload === undefined) return undefined;
    const text = new TextDecoder().decode(this.#world.database.payloads.read(payload));
    return /t\d+#(\w+)/.exec(text)?.[1];
  }
}
