import { ForebayError } from "../domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { inTime } from "./at-stop.ts";
import { type FailureLog, failureLog } from "./failure-log.ts";

/** Work that no request asks for. */
export interface BackgroundJob {
  readonly name: string;
  /** Milliseconds from the end of one run to the start of the next. */
  readonly every: number;
  /** While `leasesHold`, the process was stopped a moment ago, and no worker is lost because of silence. */
  run(leasesHold: boolean): Promise<void>;
}

export interface RunningJobs {
  /**
   * Starts no run any more. Resolves when the present runs have ended, at the latest after a second. The next
   * start of the server makes up for a run that was not complete by then.
   */
  stop(): Promise<void>;
}

/** How long a stop waits for the present runs, ms. */
const STOP_LIMIT = 1_000;

/**
 * Runs each background job again and again.
 *
 * If the process was stopped for longer than a heartbeat interval, or has just started, its timers fire
 * before the waiting calls are read, and every worker looks silent (race R21). So leases hold until each
 * worker has had time to call.
 */
export function runBackgroundJobs(engine: Engine, jobs: readonly BackgroundJob[]): RunningJobs {
  const { clock, durations, log } = engine;
  const underWay = new Set<Promise<void>>();
  const timers = new Set<() => void>();
  let isStopped = false;
  let isLeftAlone = false;
  let leasesHoldUntil = clock.now() + durations.workerLease;

  function plan(job: BackgroundJob, failures: FailureLog): void {
    const dueAt = clock.now() + job.every;
    const cancel = clock.after(job.every, () => {
      timers.delete(cancel);
      const running = run(job, failures, dueAt);
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    });
    timers.add(cancel);
  }

  async function run(job: BackgroundJob, failures: FailureLog, dueAt: number): Promise<void> {
    const late = clock.now() - dueAt;
    if (late > durations.pingInterval) {
      leasesHoldUntil = clock.now() + durations.workerLease;
      log.warn("the server stood still; leases hold until workers had time to call", { late });
    }
    // Calls that arrived meanwhile are read first.
    await new Promise(setImmediate);
    try {
      await job.run(clock.now() < leasesHoldUntil);
      failures.worked();
    } catch (error) {
      if (!isLeftAlone && !isOfStop(error)) failures.failed(error);
    }
    if (!isStopped) plan(job, failures);
  }

  for (const job of jobs) plan(job, failureLog(engine, job.name));
  return {
    async stop() {
      isStopped = true;
      for (const cancel of timers) cancel();
      await inTime(engine, "background jobs", STOP_LIMIT, Promise.all(underWay));
      isLeftAlone = true;
    },
  };
}

function isOfStop(error: unknown): boolean {
  return error instanceof ForebayError && error.code === "SHUTTING_DOWN";
}
