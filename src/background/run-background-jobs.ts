import type { Engine } from "../engine/engine.ts";
import { ForebayError } from "../domain/errors.ts";
import { inTime } from "./at-stop.ts";
import type { Duty } from "./duty.ts";
import { type DutyLog, dutyLog } from "./failure-log.ts";

/** How long a stop waits for the runs under way, ms. */
const STOP_LIMIT = 1_000;

export interface RunningDuties {
  /**
   * Resolves when the runs under way have ended, or when they have had a second for it; no other starts.
   * What a run has not done by then is done after the next start.
   */
  stop(): Promise<void>;
}

/**
 * Runs each duty again and again. When the process was stopped for longer than a ping takes, or has just
 * started, its timers come before the calls that waited for it, and every worker looks silent (race R21): so
 * leases hold for as long as a worker has to call, counted from when the server is back.
 */
export function runDuties(engine: Engine, duties: readonly Duty[]): RunningDuties {
  const { clock, durations, log } = engine;
  const underWay = new Set<Promise<void>>();
  const timers = new Set<() => void>();
  let isStopped = false;
  let isLeftAlone = false;
  let leasesHoldUntil = clock.now() + durations.workerLease;

  function plan(duty: Duty, told: DutyLog): void {
    const dueAt = clock.now() + duty.every;
    const cancel = clock.after(duty.every, () => {
      timers.delete(cancel);
      const running = run(duty, told, dueAt);
      underWay.add(running);
      void running.finally(() => underWay.delete(running));
    });
    timers.add(cancel);
  }

  async function run(duty: Duty, told: DutyLog, dueAt: number): Promise<void> {
    const late = clock.now() - dueAt;
    if (late > durations.pingInterval) {
      leasesHoldUntil = clock.now() + durations.workerLease;
      log.warn("the server stood still; leases hold until workers had time to call", { late });
    }
    // Calls that arrived meanwhile are read first.
    await new Promise(setImmediate);
    try {
      await duty.run(clock.now() < leasesHoldUntil);
      told.worked();
    } catch (error) {
      if (!isLeftAlone && !isOfStop(error)) told.failed(error);
    }
    if (!isStopped) plan(duty, told);
  }

  for (const duty of duties) plan(duty, dutyLog(engine, duty.name));
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
