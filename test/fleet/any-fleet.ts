import * as fc from "fast-check";
import { SCALER_TYPES } from "../../src/domain/endpoint.ts";
import type { FleetLimits, FleetNow, WorkerNow } from "../../src/fleet/decide.ts";

/** When the fleets are looked at. */
export const NOW = 1_000_000_000;

const LIMITS: fc.Arbitrary<FleetLimits> = fc
  .record({
    counts: fc.tuple(fc.nat(6), fc.nat(6)),
    idleTimeout: fc.integer({ min: 1, max: 60 }),
    scalerType: fc.constantFrom(...SCALER_TYPES),
    scalerValue: fc.integer({ min: 1, max: 10 }),
    isPaused: fc.boolean(),
    releaseSurge: fc.nat(2),
    releasePace: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  })
  .map(({ counts: [a, b], ...limits }) => {
    const [workersMin, workersMax] = [Math.min(a, b), Math.max(a, b)];
    return Object.assign(limits, { workersMin, workersMax });
  });

const WORKER: fc.Arbitrary<Omit<WorkerNow, "id">> = fc
  .record({
    isBusy: fc.boolean(),
    isStarting: fc.boolean(),
    lowPriority: fc.boolean(),
    idle: fc.nat(120_000),
    wantsReplacement: fc.boolean(),
    isOutdated: fc.boolean(),
    isNew: fc.boolean(),
    isEnding: fc.boolean(),
  })
  .map(({ isStarting, lowPriority, idle, isNew, ...worker }) =>
    Object.assign(worker, {
      isStarting: isStarting && !worker.isBusy,
      isNew: isNew && !(isStarting && !worker.isBusy),
      jobs: worker.isBusy && !lowPriority ? 1 : 0,
      lastJobAt: NOW - idle,
    }),
  );

/** Any endpoint with any workers and jobs. */
export const FLEET: fc.Arbitrary<FleetNow & { readonly limits: FleetLimits }> = fc
  .record({
    limits: LIMITS,
    ages: fc.array(fc.nat(20_000), { maxLength: 12 }),
    workers: fc.array(WORKER, { maxLength: 8 }),
    startsFrom: fc.constantFrom(0, NOW - 1, NOW, NOW + 1),
    isCrashLoop: fc.boolean(),
    isProven: fc.boolean(),
    isRolling: fc.boolean(),
  })
  .map(({ limits, ages, workers, startsFrom, isCrashLoop, isProven, isRolling }) => ({
    limits,
    startsFrom,
    isCrashLoop,
    isProven,
    waiting: ages.length,
    waitingSince: ages.map((age) => NOW - age),
    workers: workers.map((worker, index) => {
      return { ...worker, isOutdated: isRolling && worker.isOutdated, id: `w${index}` };
    }),
    now: NOW,
  }));
