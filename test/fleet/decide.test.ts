import { describe, expect, test } from "bun:test";
import { decide, type FleetDecision, type FleetNow, type WorkerNow } from "../../src/fleet/decide.ts";

const NOW = 1_000_000;
const LIMITS = { workersMin: 0, workersMax: 3, idleTimeout: 5 };
const NOTHING: FleetDecision = { start: 0, drain: [], throttled: 0, missing: 0 };

/** A worker that has been idle for so many seconds; 0 means that it has a job. */
function worker(id: string, idle: number, more: Partial<WorkerNow> = {}): WorkerNow {
  return {
    id,
    isBusy: idle === 0,
    lastJobAt: NOW - idle * 1_000,
    wantsReplacement: false,
    isEnding: false,
    ...more,
  };
}

function decided(now: Partial<FleetNow>): FleetDecision {
  return decide({ limits: LIMITS, demand: 0, workers: [], startsFrom: 0, now: NOW, ...now });
}

describe("how many workers start", () => {
  test.each<[what: string, now: Partial<FleetNow>, expected: Partial<FleetDecision>]>([
    ["none without a job", {}, {}],
    ["one for each job", { demand: 2 }, { start: 2, missing: 2 }],
    ["no more than workersMax", { demand: 9 }, { start: 3, missing: 3, throttled: 6 }],
    ["no fewer than workersMin", { limits: { ...LIMITS, workersMin: 2 } }, { start: 2, missing: 2 }],
    ["none where workersMax is 0", { limits: { ...LIMITS, workersMax: 0 }, demand: 1 }, { throttled: 1 }],
    ["only those that are not there yet", { demand: 2, workers: [worker("a", 0)] }, { start: 1, missing: 1 }],
    ["none while the last ones ended by themselves", { demand: 2, startsFrom: NOW + 1 }, { missing: 2 }],
    ["again when that wait is over", { demand: 2, startsFrom: NOW }, { start: 2, missing: 2 }],
    [
      "none in the place of one that has not ended yet",
      { limits: { ...LIMITS, workersMax: 1 }, demand: 1, workers: [worker("a", 0, { isEnding: true })] },
      { missing: 1 },
    ],
    [
      "at once beside one that is ending, where there is room",
      { demand: 1, workers: [worker("a", 0, { isEnding: true })] },
      { start: 1, missing: 1 },
    ],
  ])("%s", (_what, now, expected) => {
    expect(decided(now)).toEqual({ ...NOTHING, ...expected });
  });
});

describe("which workers end", () => {
  test.each<[what: string, now: Partial<FleetNow>, expected: Partial<FleetDecision>]>([
    ["one without a job for its idleTimeout", { workers: [worker("a", 5)] }, { drain: ["a"] }],
    ["not one that had a job since", { workers: [worker("a", 4.9)] }, {}],
    ["never a busy one", { workers: [worker("a", 0, { lastJobAt: 0 })] }, {}],
    ["not those that are wanted", { demand: 1, workers: [worker("a", 9)] }, {}],
    ["not those of workersMin", { limits: { ...LIMITS, workersMin: 1 }, workers: [worker("a", 9)] }, {}],
    [
      "the longest idle first",
      { demand: 1, workers: [worker("a", 6), worker("b", 8), worker("c", 7)] },
      { drain: ["b", "c"] },
    ],
    [
      "one that asks to be replaced, and a fresh one starts",
      { demand: 1, workers: [worker("a", 0, { wantsReplacement: true })] },
      { drain: ["a"], start: 1, missing: 1 },
    ],
    [
      "one that asks to be replaced, and at workersMax nothing starts before it has ended",
      {
        limits: { ...LIMITS, workersMin: 1, workersMax: 1 },
        workers: [worker("a", 0, { wantsReplacement: true })],
      },
      { drain: ["a"], missing: 1 },
    ],
    ["not again one that is ending", { workers: [worker("a", 9, { isEnding: true })] }, {}],
    [
      "all, busy or not, of an endpoint that is gone",
      { limits: undefined, demand: 1, workers: [worker("a", 0), worker("b", 9, { isEnding: true })] },
      { drain: ["a"] },
    ],
  ])("%s", (_what, now, expected) => {
    expect(decided(now)).toEqual({ ...NOTHING, ...expected });
  });
});
