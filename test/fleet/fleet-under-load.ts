import { decide, type FleetLimits } from "../../src/fleet/decide.ts";

export interface Load {
  readonly limits: FleetLimits;
  /** Between two jobs, ms. */
  readonly interval: number;
  /** How long a job runs, ms. */
  readonly runs: number;
  /** From the start of a worker until it takes jobs, ms. */
  readonly coldStart: number;
}

interface SimulatedWorker {
  readonly id: string;
  readonly readyAt: number;
  busyUntil: number;
  lastJobAt: number;
}

/** Between two looks, ms. */
const STEP = 50;

/** A fleet that does what is decided, on jobs that come at equal distances; without processes or a clock. */
export function fleetUnderLoad({ limits, interval, runs, coldStart }: Load) {
  let now = 0;
  let started = 0;
  let ended = 0;
  let nextJobAt = 0;
  let queue: number[] = [];
  let workers: SimulatedWorker[] = [];

  function handOut(): void {
    // To the one that waited longest.
    const free = workers.filter(({ readyAt, busyUntil }) => readyAt <= now && busyUntil <= now);
    free.sort((a, b) => a.lastJobAt - b.lastJobAt);
    for (const worker of free.slice(0, queue.length)) {
      queue.shift();
      worker.busyUntil = now + runs;
      worker.lastJobAt = now + runs;
    }
  }

  function look(): void {
    const { start, drain } = decide({
      limits,
      waiting: queue.length,
      waitingSince: queue.slice(0, 100),
      workers: workers.map(({ id, readyAt, busyUntil, lastJobAt }) => ({
        id,
        jobs: busyUntil > now ? 1 : 0,
        isBusy: busyUntil > now,
        isStarting: readyAt > now,
        lastJobAt: Math.min(lastJobAt, now),
        wantsReplacement: false,
        isOutdated: false,
        isNew: false,
        isEnding: false,
      })),
      startsFrom: 0,
      isCrashLoop: false,
      isProven: true,
      now,
    });
    workers = workers.filter(({ id }) => !drain.includes(id));
    ended += drain.length;
    for (let count = 0; count < start; count++) {
      const readyAt = now + coldStart;
      workers.push({ id: `w${started++}`, readyAt, busyUntil: 0, lastJobAt: readyAt });
    }
  }

  return {
    pass(ms: number): void {
      for (const end = now + ms; now < end; now += STEP) {
        for (; nextJobAt <= now; nextJobAt += interval) queue.push(nextJobAt);
        // More than can ever be done says no more than this.
        queue = queue.slice(0, 1_000);
        handOut();
        look();
      }
    },
    noMoreJobs: (): void => void (nextJobAt = Number.POSITIVE_INFINITY),
    workers: (): number => workers.length,
    changes: () => ({ started, ended }),
  };
}
