import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { SCALER_TYPES } from "../../src/domain/endpoint.ts";
import { decide, type FleetLimits, type FleetNow } from "../../src/fleet/decide.ts";
import { property } from "../contract/property.ts";
import { FLEET, NOW } from "./any-fleet.ts";
import { fleetUnderLoad } from "./fleet-under-load.ts";

const AS_USUAL = { releaseSurge: 1, releasePace: undefined };

describe("whatever there is", () => {
  const holds = (check: (fleet: FleetNow & { readonly limits: FleetLimits }) => void) =>
    property(FLEET, 2_000, async (fleet) => check(fleet));

  const isRolling = (fleet: FleetNow) => fleet.workers.some(({ isOutdated }) => isOutdated);
  function stayingOf(fleet: FleetNow) {
    const staying = fleet.workers.filter((worker) => !worker.isEnding && !worker.wantsReplacement);
    const [old, fresh] = [true, false].map((outdated) => {
      return staying.filter(({ isOutdated }) => isOutdated === outdated);
    });
    return { old: old ?? [], fresh: fresh ?? [] };
  }

  test("there are never more than workersMax by a start, but for a release, and none before its time", () =>
    holds((fleet) => {
      const { start, missing } = decide(fleet);
      const { workersMax, releaseSurge } = fleet.limits;
      expect(start).toBeGreaterThanOrEqual(0);
      if (!isRolling(fleet)) expect(start).toBeLessThanOrEqual(missing);
      const most = workersMax + (isRolling(fleet) ? releaseSurge : 0);
      if (start > 0) expect(fleet.workers.length + start).toBeLessThanOrEqual(most);
      const { fresh } = stayingOf(fleet);
      if (start > 0) expect(fresh.length + start).toBeLessThanOrEqual(workersMax);
      if (fleet.startsFrom > NOW || fleet.limits.isPaused) expect(start).toBe(0);
      if (fleet.isCrashLoop) expect(start).toBeLessThanOrEqual(1);
    }));

  test("no busy worker ends, none ends twice, and workersMin stay", () =>
    holds((fleet) => {
      const { drain } = decide(fleet);
      const ending = fleet.workers.filter(({ id }) => drain.includes(id));
      expect(ending.length).toBe(drain.length);
      expect(new Set(drain).size).toBe(drain.length);
      for (const worker of ending) {
        expect(worker.isEnding).toBe(false);
        expect(worker.isBusy).toBe(false);
      }
      if (fleet.limits.isPaused) return;
      const idle = ending.filter(({ wantsReplacement }) => !wantsReplacement).length;
      const staying = fleet.workers.filter((worker) => !worker.isEnding && !worker.wantsReplacement).length;
      if (idle > 0) expect(staying - idle).toBeGreaterThanOrEqual(fleet.limits.workersMin);
    }));

  test("never does one start while another is ended for want of work", () =>
    holds((fleet) => {
      const { start, drain } = decide(fleet);
      const idle = fleet.workers.filter(
        ({ id, wantsReplacement }) => drain.includes(id) && !wantsReplacement,
      );
      expect(start === 0 || idle.length === 0).toBe(true);
    }));

  test("a job that waits has a worker that is there or comes, unless something stands against it", () =>
    holds((fleet) => {
      const { limits, workers, startsFrom, isCrashLoop, waiting } = fleet;
      const isKept =
        limits.isPaused || startsFrom > NOW || isCrashLoop || workers.length >= limits.workersMax;
      if (waiting === 0 || isKept) return;
      const { start, drain } = decide(fleet);
      const present = workers.filter(({ id, isEnding }) => !isEnding && !drain.includes(id));
      expect(present.length + start).toBeGreaterThan(0);
    }));

  test("the next look is the first at which, with nothing else changed, another worker starts", () =>
    holds((fleet) => {
      const { lookAt, start } = decide(fleet);
      // While a release rolls, its starts stand for old workers, and a look can come for nothing.
      if (lookAt === undefined || start > 0 || isRolling(fleet)) return;
      if (fleet.isCrashLoop || fleet.startsFrom > NOW) return;
      expect(lookAt).toBeGreaterThan(NOW);
      expect(decide({ ...fleet, now: lookAt }).missing).toBeGreaterThan(0);
    }));

  test("2.2 lowPriority: jobs that do not count change nothing", () =>
    holds((fleet) => {
      const workers = fleet.workers.map((worker) => ({
        ...worker,
        isBusy: worker.isBusy || worker.jobs > 0,
      }));
      const idle = {
        ...fleet,
        waiting: 0,
        waitingSince: [],
        workers: workers.filter(({ jobs }) => jobs === 0),
      };
      const { start } = decide({ ...idle, limits: { ...fleet.limits, workersMin: 0 } });
      const isReplacing = idle.workers.some(({ wantsReplacement, isBusy }) => wantsReplacement && isBusy);
      if (!isReplacing && !isRolling(fleet)) expect(start).toBe(0);
    }));

  test("a release takes old workers only, busy ones one for each new one that has called", () =>
    holds((fleet) => {
      const { retire, drain } = decide(fleet);
      const { old, fresh } = stayingOf(fleet);
      const ids = new Set(old.map(({ id }) => id));
      expect(retire.every((id) => ids.has(id) && !drain.includes(id))).toBe(true);
      const needed = old.filter(({ isBusy }) => isBusy).length;
      const ready = fresh.filter(({ isStarting }) => !isStarting).length;
      const { workersMax, releaseSurge, releasePace = 1 } = fleet.limits;
      const retiredBusy = fleet.workers.filter(({ id, isBusy }) => isBusy && retire.includes(id)).length;
      const beyondMaximum = Math.max(0, needed - workersMax);
      const inTheWay = releaseSurge === 0 ? releasePace : 0;
      expect(retiredBusy).toBeLessThanOrEqual(Math.max(ready + beyondMaximum, inTheWay));
    }));

  test("while others serve a version starts one alone until it has called, and then by its pace", () =>
    holds((fleet) => {
      const { old, fresh } = stayingOf(fleet);
      if (old.length === 0) return;
      const { start } = decide(fleet);
      const starting = fresh.filter(({ isStarting }) => isStarting).length;
      const most = fleet.isProven ? (fleet.limits.releasePace ?? Infinity) : 1;
      if (start > 0) expect(starting + start).toBeLessThanOrEqual(most);
    }));
});

describe("under constant load", () => {
  test("once there are enough workers none starts and none ends", () =>
    property(
      fc.record({
        scalerType: fc.constantFrom(...SCALER_TYPES),
        scalerValue: fc.integer({ min: 1, max: 4 }),
        /** Between two jobs, and how long one runs, ms. */
        interval: fc.integer({ min: 200, max: 3_000 }),
        runs: fc.integer({ min: 50, max: 8_000 }),
        coldStart: fc.integer({ min: 50, max: 20_000 }),
        workersMax: fc.integer({ min: 1, max: 6 }),
      }),
      60,
      async ({ interval, runs, coldStart, ...chosen }) => {
        const limits = { ...chosen, workersMin: 0, idleTimeout: 30, isPaused: false, ...AS_USUAL };
        // One that is hardly too few shows only after hours; a job takes up to two steps more than it runs.
        const beyond = runs % interval;
        fc.pre(beyond < interval - interval / 20 - 100 && (runs < interval || beyond > interval / 20));
        const fleet = fleetUnderLoad({ limits, interval, runs, coldStart });
        const enough = Math.min(limits.workersMax, Math.ceil(runs / interval));
        for (let left = 20; left > 0 && fleet.workers() < enough; left--) fleet.pass(300_000);
        fleet.pass(300_000);
        const before = fleet.changes();
        fleet.pass(300_000);
        expect(fleet.changes()).toEqual(before);
        expect(fleet.workers()).toBeGreaterThan(0);
      },
    ));

  test("and when it is over all end, once", () =>
    property(fc.constantFrom(...SCALER_TYPES), 2, async (scalerType) => {
      const limits = {
        scalerType,
        scalerValue: 1,
        workersMin: 0,
        workersMax: 3,
        idleTimeout: 5,
        isPaused: false,
        ...AS_USUAL,
      };
      const fleet = fleetUnderLoad({ limits, interval: 500, runs: 1_000, coldStart: 2_000 });
      fleet.pass(60_000);
      fleet.noMoreJobs();
      fleet.pass(60_000);
      expect(fleet.workers()).toBe(0);
      expect(fleet.changes().started).toBe(fleet.changes().ended);
    }));
});
