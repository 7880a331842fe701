import type { JobContext, JobLog } from "./handler.ts";
import type { WorkerLog } from "./log.ts";
import type { Reporter } from "./reporter.ts";
import { sizeFault } from "./result.ts";
import type { RunningJob } from "./running-job.ts";
import { type JobTrace, traceOf } from "./trace.ts";

/**
 * What a handler can do besides returning. These are getters, so that handlers can destructure it and pay
 * only for what they use.
 */
export class RunningContext implements JobContext {
  readonly #run: RunningJob;
  readonly #reporter: Reporter;
  readonly #workerLog: WorkerLog;
  #log: JobLog | undefined = undefined;
  #trace: JobTrace | undefined = undefined;

  constructor(run: RunningJob, reporter: Reporter, log: WorkerLog) {
    this.#run = run;
    this.#reporter = reporter;
    this.#workerLog = log;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get progress(): (value: unknown) => void {
    return (value) => {
      const json = JSON.stringify(value) ?? "null";
      const fault = sizeFault(json);
      if (fault !== undefined) throw new RangeError(`The progress value cannot be kept: ${fault}.`);
      if (!this.#run.isStopped && !this.#run.isSettled) this.#reporter.progress(this.#run, json);
    };
  }

  get log(): JobLog {
    this.#log ??= this.#workerLog.ofJob(this.#run.id);
    return this.#log;
  }

  get trace(): JobTrace | undefined {
    this.#trace ??= traceOf(this.#run.job);
    return this.#trace;
  }
}
