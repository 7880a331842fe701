import {
  Answer,
  failureOf,
  failureOfYield,
  isYielding,
  type ResultMembers,
  resultOf,
  sizeFault,
  unkeepable,
} from "./result.ts";
import type { Handler, Job } from "./handler.ts";
import type { WorkerLog } from "./log.ts";
import type { Reporter } from "./reporter.ts";
import { RunningContext } from "./running-context.ts";
import { RunningJob } from "./running-job.ts";

export interface RunnerOptions {
  readonly handler: Handler;
  /** Whether the output of a job with yields is the list of its yields. */
  readonly aggregates: boolean;
  /** Whether the worker is replaced after each job, whatever its handler returns. */
  readonly refreshes: boolean;
  readonly log: WorkerLog;
  readonly workerId: string;
}

/** Runs jobs: passes each to the handler, and the handler's reports to the reporter. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #reporter: Reporter;
  readonly #runs = new Map<string, RunningJob>();
  #busy = 0;

  constructor(options: RunnerOptions, reporter: Reporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  /** How many handlers have not settled. */
  get busy(): number {
    return this.#busy;
  }

  /** Ids of their jobs. */
  get ids(): Iterable<string> {
    return this.#runs.keys();
  }

  begin(job: Job, attempt?: number): void {
    this.#runs.get(job.id)?.stop("the server has handed the job out again");
    const run = new RunningJob(job, attempt);
    this.#runs.set(job.id, run);
    this.#busy++;
    this.#call(run);
  }

  /** Stops the job if it runs here. Its slot stays taken until its handler has settled. */
  stop(id: string, sentence: string): void {
    this.#runs.get(id)?.stop(sentence);
  }

  stopAll(sentence: string): void {
    for (const run of this.#runs.values()) run.stop(sentence);
  }

  #call(run: RunningJob): void {
    let returned: unknown;
    try {
      returned = this.#options.handler(run.job, this.#contextOf(run));
    } catch (error) {
      this.#fail(run, error);
      return;
    }
    if (!isThenable(returned)) this.#take(run, returned);
    else
      returned.then(
        (value) => this.#take(run, value),
        (error: unknown) => this.#fail(run, error),
      );
  }

  #contextOf(run: RunningJob): RunningContext {
    return new RunningContext(run, this.#reporter, this.#options.log);
  }

  /** What the handler returned or resolved to. */
  #take(run: RunningJob, value: unknown): void {
    if (isYielding(value)) {
      run.isStream = true;
      this.#follow(run, value).then(
        (members) => this.#settle(run, members),
        (error: unknown) => this.#fail(run, error),
      );
      return;
    }
    const answer = Answer.of(value);
    let members: ResultMembers;
    try {
      members = resultOf(answer.value, this.#options.workerId);
    } catch (error) {
      this.#fail(run, error);
      return;
    }
    this.#settle(run, members, answer.wantsRefresh);
  }

  async #follow(
    run: RunningJob,
    yielding: AsyncIterable<unknown> | Iterable<unknown>,
  ): Promise<ResultMembers> {
    const yields: string[] = [];
    for await (const value of yielding) {
      if (run.isStopped) break;
      const failure = failureOfYield(value, this.#options.workerId);
      if (failure !== undefined) return failure;
      // A handler may change a value and yield it again, so it is serialized at once.
      const json = JSON.stringify(value) ?? "null";
      const fault = sizeFault(json);
      if (fault !== undefined) return unkeepable(fault);
      if (this.#options.aggregates) yields.push(json);
      await this.#reporter.chunk(run, json);
      if (run.isStopped) break;
    }
    return `"output":[${yields.join(",")}]`;
  }

  #fail(run: RunningJob, error: unknown): void {
    if (!run.isStopped) {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#options.log.aboutJob(run.id).error(`failed: ${reason}`);
    }
    this.#settle(run, failureOf(error, this.#options.workerId));
  }

  #settle(run: RunningJob, members: ResultMembers, wantsRefresh = false): void {
    this.#busy--;
    run.isSettled = true;
    if (this.#runs.get(run.id) === run) this.#runs.delete(run.id);
    if (run.isStopped) {
      this.#reporter.settledUnheard(run);
      return;
    }
    const fault = sizeFault(members);
    run.endsWorker = wantsRefresh || this.#options.refreshes;
    this.#reporter.result(run, fault === undefined ? members : unkeepable(fault));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
