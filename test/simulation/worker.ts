import { newProcess, type Process } from "./agenda.ts";
import type { Outcome, SimulatedRequest } from "./network.ts";
import type { Work } from "./plan.ts";
import type { World } from "./world.ts";

/** One worker, over all its starts. */
export interface WorkerParts {
  readonly endpoint: string;
  /** The id of its token, or with a shared one the id that it says itself. */
  readonly id: string;
  readonly token: string;
  /** What the server calls it: with a shared token both ids. */
  readonly name: string;
}

/** A job as a worker got it. */
export interface HeldJob {
  readonly id: string;
  readonly work: Work;
  readonly attempt: number | undefined;
  /** Names this hand-out in marks and results. */
  readonly mark: string;
  readonly fails: boolean;
  isStopped: boolean;
  /** The server has told the worker to stop it, whether or not its handler does. */
  wasTold: boolean;
}

/** A handler that fails by its mood does so early, ms. */
const EARLY_FAILURE = 50;

/** What all workers have in common: they run jobs, crash, pause and start again. */
export abstract class SimulatedWorker {
  protected process: Process;
  protected readonly jobs = new Map<string, HeldJob>();
  #handOuts = 0;
  #starts = 0;

  protected readonly world: World;
  protected readonly parts: WorkerParts;

  constructor(world: World, parts: WorkerParts) {
    this.world = world;
    this.parts = parts;
    this.process = newProcess(parts.id);
  }

  get endpoint(): string {
    return this.parts.endpoint;
  }

  get id(): string {
    return this.parts.id;
  }

  get name(): string {
    return this.parts.name;
  }

  get isRunning(): boolean {
    return !this.process.isGone && this.process.pausedUntil <= this.world.agenda.now;
  }

  /** Whether it has the job, and the server never told it to stop. */
  runsUntold(id: string): boolean {
    return this.jobs.get(id)?.wasTold === false;
  }

  /** Its name in the history: another one after each start. */
  protected get incarnation(): string {
    return `${this.parts.id}.${this.#starts}`;
  }

  start(): void {
    this.#starts++;
    this.process = newProcess(this.parts.id);
    this.jobs.clear();
    for (const loop of this.loops()) void loop.catch((error: unknown) => this.world.fail(error));
  }

  /** `isSilent`: nobody closes its connections. */
  crash(downtime: number, isSilent: boolean): boolean {
    const { world, process } = this;
    if (process.isGone) return false;
    process.isGone = true;
    if (!isSilent) world.network.ended(process);
    world.agenda.note(`${process.name} crashes`);
    world.agenda.after(downtime, world.process, `starts ${process.name}`, () => this.start());
    return true;
  }

  pause(ms: number): void {
    this.process.pausedUntil = this.world.agenda.now + ms;
  }

  protected abstract loops(): Promise<void>[];

  protected sleep(ms: number, label: string): Promise<void> {
    return this.world.agenda.sleep(ms, this.process, label);
  }

  protected call(
    request: Omit<SimulatedRequest, "key" | "mayRepeat">,
    timeout: number,
    mayRepeat = true,
  ): Promise<Outcome> {
    const { token } = this.parts;
    return this.world.call(this.process, { ...request, key: token, mayRepeat }, timeout);
  }

  /** A job that came with an answer; undefined where the worker has it already. */
  protected got(
    { id, input }: { id: string; input: Work },
    attempt: number | undefined,
    from: number,
  ): HeldJob | undefined {
    const { world, parts } = this;
    const mark = `${parts.id}x${this.#starts}x${this.#handOuts++}`;
    const told = attempt === undefined ? {} : { attempt };
    world.history.add({
      kind: "handOut",
      endpoint: parts.endpoint,
      id,
      tag: input.tag,
      worker: this.incarnation,
      ...told,
      from,
      to: world.agenda.now,
    });
    world.tally.add("action hand-out");
    world.runs.handedOut(mark, id, parts.name, attempt);
    const fails = input.fails || (input.isMoody === true && world.random.chance(0.5));
    const job: HeldJob = { id, work: input, attempt, mark, fails, isStopped: false, wasTold: false };
    this.jobs.set(id, job);
    return job;
  }

  protected stop(ids: readonly string[]): void {
    for (const id of ids) {
      const job = this.jobs.get(id);
      if (job === undefined) continue;
      job.wasTold = true;
      if (!job.work.stops) continue;
      this.world.tally.add("action stop");
      job.isStopped = true;
      this.jobs.delete(id);
    }
  }

  /** Runs the handler; false where it was stopped. */
  protected async run(job: HeldJob, emit: (mark: string) => Promise<void>): Promise<boolean> {
    const { chunks, isMoody } = job.work;
    const ms = isMoody && job.fails ? EARLY_FAILURE : job.work.ms;
    const pieces = chunks + 1;
    for (let piece = 0; piece < pieces; piece++) {
      await this.sleep(ms / pieces, "works");
      if (job.isStopped) return false;
      if (piece < chunks) await emit(`${job.mark}c${piece}`);
      if (job.isStopped) return false;
    }
    return true;
  }
}

/** The result of a job: it names the hand-out, so that no two are the same. */
export function resultOf({ work, mark }: HeldJob): string {
  return `${work.tag}#${mark} ${"y".repeat(work.size)}`;
}

/** As the history compares it. */
export function resultName({ work, mark }: HeldJob): string {
  return `${work.tag}#${mark}`;
}
