import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { decide, type WorkerNow } from "../../src/fleet/decide.ts";
import { property } from "../contract/property.ts";
import { FLEET, NOW } from "./any-fleet.ts";

const PAUSED = fc.record({
  own: fc.nat(4),
  earlier: fc.nat(6),
  startsFrom: fc.constantFrom(0, NOW + 1),
  isCrashLoop: fc.boolean(),
});

describe("while a release is paused", () => {
  const fleets = fc.record({ fleet: FLEET, paused: PAUSED }).map(({ fleet, paused }) => {
    const limits = Object.assign(fleet.limits, { isPaused: false });
    return Object.assign(fleet, { limits, paused });
  });
  type Paused = typeof fleets extends fc.Arbitrary<infer Fleet> ? Fleet : never;
  const holds = (check: (fleet: Paused) => void) => property(fleets, 2_000, async (fleet) => check(fleet));
  const isStaying = ({ isEnding, wantsReplacement }: WorkerNow) => !isEnding && !wantsReplacement;
  const countOf = (workers: readonly WorkerNow[], isOutdated: boolean) =>
    workers.filter((worker) => isStaying(worker) && worker.isOutdated === isOutdated).length;

  test("it takes no old worker, and no busy one ends", () =>
    holds((fleet) => {
      const { retire, drain } = decide(fleet);
      expect(retire).toEqual([]);
      expect(fleet.workers.filter(({ id, isBusy }) => isBusy && drain.includes(id))).toEqual([]);
      expect(new Set(drain).size).toBe(drain.length);
    }));

  test("by a start there are never more of the new version than when it was paused", () =>
    holds((fleet) => {
      const { start } = decide(fleet);
      if (start > 0) expect(countOf(fleet.workers, false) + start).toBeLessThanOrEqual(fleet.paused.own);
    }));

  test("there are never more than workersMax and the surge by a start, and none before its time", () =>
    holds((fleet) => {
      const { start, startEarlier } = decide(fleet);
      const { workersMax, releaseSurge } = fleet.limits;
      const all = start + startEarlier;
      if (all > 0) expect(fleet.workers.length + all).toBeLessThanOrEqual(workersMax + releaseSurge);
      if (fleet.startsFrom > NOW) expect(start).toBe(0);
      if (fleet.paused.startsFrom > NOW) expect(startEarlier).toBe(0);
      if (fleet.isCrashLoop) expect(start).toBe(0);
      if (!fleet.isProven) expect(start).toBeLessThanOrEqual(1);
      if (fleet.paused.isCrashLoop) expect(startEarlier).toBeLessThanOrEqual(1);
    }));

  test("no worker starts while another one ends for want of work, and workersMin stay", () =>
    holds((fleet) => {
      const { start, startEarlier, drain } = decide(fleet);
      const idle = fleet.workers.filter((worker) => isStaying(worker) && drain.includes(worker.id)).length;
      if (idle === 0) return;
      expect([start, startEarlier]).toEqual([0, 0]);
      expect(fleet.workers.filter(isStaying).length - idle).toBeGreaterThanOrEqual(fleet.limits.workersMin);
    }));

  test("a worker that dies while all are wanted is replaced by one of its version", () =>
    property(
      fc.record({
        own: fc.integer({ min: 1, max: 4 }),
        earlier: fc.integer({ min: 1, max: 4 }),
        surge: fc.nat(1),
        isOld: fc.boolean(),
      }),
      500,
      async ({ own, earlier, surge, isOld }) => {
        const workersMin = own + earlier - surge;
        const dead = isOld ? "old0" : "new0";
        const decision = decide({
          limits: {
            workersMin,
            workersMax: workersMin,
            idleTimeout: 1,
            scalerType: "QUEUE_DELAY",
            scalerValue: 4,
            isPaused: false,
            releaseSurge: surge,
            releasePace: undefined,
          },
          waiting: 0,
          waitingSince: [],
          workers: [
            ...Array.from({ length: earlier }, (_, index) => idleWorker(`old${index}`, true)),
            ...Array.from({ length: own }, (_, index) => idleWorker(`new${index}`, false)),
          ].filter(({ id }) => id !== dead),
          startsFrom: 0,
          isCrashLoop: false,
          isProven: true,
          paused: { own, earlier, startsFrom: 0, isCrashLoop: false },
          now: NOW,
        });
        const { start, startEarlier, drain, retire } = decision;
        const died = isOld ? { start: 0, startEarlier: 1 } : { start: 1, startEarlier: 0 };
        expect({ start, startEarlier, drain, retire }).toEqual({ ...died, drain: [], retire: [] });
      },
    ));

  const idleWorker = (id: string, isOutdated: boolean): WorkerNow => ({
    id,
    isOutdated,
    jobs: 0,
    isBusy: false,
    isStarting: false,
    lastJobAt: NOW - 60_000,
    wantsReplacement: false,
    isNew: false,
    isEnding: false,
  });

  test("what is wanted beyond is of the earlier version, and the first of an endpoint that rests", () =>
    holds((fleet) => {
      const { paused } = fleet;
      fc.pre(paused.own > 0 && paused.earlier > 0 && fleet.limits.workersMax > 0 && fleet.isProven);
      const now = { ...fleet, workers: [], startsFrom: 0, isCrashLoop: false };
      const { start, startEarlier } = decide({
        ...now,
        paused: { ...paused, startsFrom: 0, isCrashLoop: false },
      });
      if (start + startEarlier > 0) expect(startEarlier).toBeGreaterThan(0);
      const beyond = start + startEarlier - paused.own - paused.earlier;
      if (beyond > 0) expect([start, startEarlier]).toEqual([paused.own, paused.earlier + beyond]);
    }));

  test("it goes on to scale: jobs that wait have a worker that is there or comes", () =>
    holds((fleet) => {
      fc.pre(fleet.waiting > 0 && fleet.workers.length < fleet.limits.workersMax);
      fc.pre(fleet.startsFrom <= NOW && fleet.paused.startsFrom <= NOW);
      const { start, startEarlier, drain } = decide(fleet);
      const there = fleet.workers.filter(({ id, isEnding }) => !isEnding && !drain.includes(id)).length;
      expect(there + start + startEarlier).toBeGreaterThan(0);
    }));
});
