import { describe, expect, test } from "bun:test";
import {
  decide,
  type FleetDecision,
  type FleetLimits,
  type FleetNow,
  type WorkerNow,
} from "../../src/fleet/decide.ts";

const NOW = 1_000_000;
const BY_COUNT: FleetLimits = {
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "REQUEST_COUNT",
  scalerValue: 1,
  isPaused: false,
  releaseSurge: 1,
  releasePace: undefined,
};
const BY_DELAY: FleetLimits = { ...BY_COUNT, scalerType: "QUEUE_DELAY", scalerValue: 4 };
const NOTHING: FleetDecision = {
  start: 0,
  startEarlier: 0,
  drain: [],
  retire: [],
  throttled: 0,
  missing: 0,
  lookAt: undefined,
};

/** A worker that has been idle for so many seconds; 0 means that it has a job. */
function worker(id: string, idle: number, more: Partial<WorkerNow> = {}): WorkerNow {
  return {
    id,
    jobs: idle === 0 ? 1 : 0,
    isBusy: idle === 0,
    isStarting: false,
    lastJobAt: NOW - idle * 1_000,
    wantsReplacement: false,
    isOutdated: false,
    isNew: false,
    isEnding: false,
    ...more,
  };
}

const starting = (id: string): WorkerNow => worker(id, 60, { isStarting: true });

function decided(now: Partial<FleetNow>): FleetDecision {
  const nothing = { limits: BY_COUNT, waiting: 0, waitingSince: [], workers: [], startsFrom: 0 };
  return decide({ ...nothing, isCrashLoop: false, isProven: true, now: NOW, ...now });
}

/** Jobs that have waited for so many seconds. */
function waited(...seconds: number[]): Pick<FleetNow, "waiting" | "waitingSince"> {
  return { waiting: seconds.length, waitingSince: seconds.map((since) => NOW - since * 1_000) };
}

type Row = [what: string, now: Partial<FleetNow>, expected: Partial<FleetDecision>];

describe("how many workers start, by the number of requests", () => {
  test.each<Row>([
    ["none without a job", {}, {}],
    ["one for each job", { waiting: 2 }, { start: 2, missing: 2 }],
    [
      "one for each scalerValue jobs, rounded up",
      { limits: { ...BY_COUNT, scalerValue: 4 }, waiting: 5 },
      { start: 2, missing: 2 },
    ],
    [
      "jobs that run count with those that wait",
      { limits: { ...BY_COUNT, scalerValue: 2 }, waiting: 1, workers: [worker("a", 0, { jobs: 4 })] },
      { start: 2, missing: 2 },
    ],
    [
      "2.2 lowPriority: one that runs does not count",
      { waiting: 1, workers: [worker("a", 0, { jobs: 0 })] },
      {},
    ],
    ["no more than workersMax", { waiting: 9 }, { start: 3, missing: 3, throttled: 6 }],
    ["no fewer than workersMin", { limits: { ...BY_COUNT, workersMin: 2 } }, { start: 2, missing: 2 }],
    ["none where workersMax is 0", { limits: { ...BY_COUNT, workersMax: 0 }, waiting: 1 }, { throttled: 1 }],
    ["only those that are not there yet", { waiting: 2, workers: [starting("a")] }, { start: 1, missing: 1 }],
    ["none while the last ones ended by themselves", { waiting: 2, startsFrom: NOW + 1 }, { missing: 2 }],
    ["again when that wait is over", { waiting: 2, startsFrom: NOW }, { start: 2, missing: 2 }],
    ["one at a time in a crash loop", { waiting: 2, isCrashLoop: true }, { start: 1, missing: 2 }],
    [
      "and none beside the one that is tried",
      { waiting: 2, isCrashLoop: true, workers: [starting("a")] },
      { missing: 1 },
    ],
    [
      "none in the place of one that has not ended yet",
      { limits: { ...BY_COUNT, workersMax: 1 }, waiting: 1, workers: [worker("a", 0, { isEnding: true })] },
      { missing: 1 },
    ],
    [
      "at once beside one that is ending, where there is room",
      { waiting: 1, workers: [worker("a", 0, { isEnding: true })] },
      { start: 1, missing: 1 },
    ],
  ])("%s", (_what, now, expected) => {
    expect(decided(now)).toEqual({ ...NOTHING, ...expected });
  });
});

describe("how many workers start, by the delay in the queue", () => {
  test.each<Row>([
    ["the first one at once, however many jobs wait", waited(0, 0, 0), { start: 1, missing: 1 }],
    [
      "the first one at once beside one that is to go",
      { ...waited(0), workers: [worker("a", 0, { wantsReplacement: true })] },
      { start: 1, missing: 1 },
    ],
    [
      "no other before a job has waited longer than the value; then is the next look",
      { ...waited(4, 1), workers: [worker("a", 0)] },
      { lookAt: NOW + 1 },
    ],
    [
      "one for a job that has waited longer",
      { ...waited(4.001, 1), workers: [worker("a", 0)] },
      { start: 1, missing: 1, lookAt: NOW + 3_001 },
    ],
    [
      "one for each of them, up to workersMax",
      { ...waited(9, 8, 7, 6), workers: [worker("a", 0)] },
      { start: 2, missing: 2, throttled: 2 },
    ],
    [
      "the next one for those for which none is starting",
      { ...waited(9, 8, 1), workers: [starting("a")] },
      { start: 1, missing: 1, lookAt: NOW + 3_001 },
    ],
    ["none while as many are starting", { ...waited(9, 8), workers: [starting("a"), starting("b")] }, {}],
    ["none for a job that an idle worker takes", { ...waited(4.5), workers: [worker("a", 1)] }, {}],
    [
      "one for a job that an idle worker has not taken in all that time",
      { ...waited(4.5), workers: [worker("a", 4.6)] },
      { start: 1, missing: 1 },
    ],
    ["no look at a time when there is no room", { ...waited(1), workers: ["a", "b", "c"].map(starting) }, {}],
    ["no fewer than workersMin", { limits: { ...BY_DELAY, workersMin: 2 } }, { start: 2, missing: 2 }],
  ])("%s", (_what, now, expected) => {
    expect(decided({ limits: BY_DELAY, ...now })).toEqual({ ...NOTHING, ...expected });
  });
});

describe.each([
  ["REQUEST_COUNT", BY_COUNT],
  ["QUEUE_DELAY", BY_DELAY],
])("which workers end (%s)", (_type, limits) => {
  test.each<Row>([
    ["one without a job for its idleTimeout", { workers: [worker("a", 5)] }, { drain: ["a"] }],
    ["not one that had a job since", { workers: [worker("a", 4.9)] }, {}],
    ["never a busy one", { workers: [worker("a", 0, { lastJobAt: 0 })] }, {}],
    ["not one that is still starting", { workers: [starting("a")] }, {}],
    ["not those that are wanted", { ...waited(0), workers: [worker("a", 9)] }, {}],
    ["not those of workersMin", { limits: { ...limits, workersMin: 1 }, workers: [worker("a", 9)] }, {}],
    [
      "the longest idle first",
      { ...waited(0), workers: [worker("a", 6), worker("b", 8), worker("c", 7)] },
      { drain: ["b", "c"] },
    ],
    [
      "one that asks to be replaced when it has no job, and a fresh one starts at once",
      { workers: [worker("a", 0, { wantsReplacement: true }), worker("b", 1, { wantsReplacement: true })] },
      { drain: ["b"], start: 1, missing: 1 },
    ],
    [
      "one that is to be replaced, and at workersMax nothing starts before it has ended",
      {
        limits: { ...limits, workersMin: 1, workersMax: 1 },
        workers: [worker("a", 1, { wantsReplacement: true })],
      },
      { drain: ["a"], missing: 1 },
    ],
    ["not again one that is ending", { workers: [worker("a", 9, { isEnding: true })] }, {}],
    [
      "all, busy or not, of an endpoint that is gone",
      { limits: undefined, waiting: 1, workers: [worker("a", 0), worker("b", 9, { isEnding: true })] },
      { drain: ["a"] },
    ],
    [
      "all but the busy ones of an endpoint that is paused, and none starts",
      {
        limits: { ...limits, workersMin: 2, isPaused: true },
        ...waited(9),
        workers: [worker("a", 0), worker("b", 1), starting("c")],
      },
      { drain: ["b", "c"] },
    ],
  ])("%s", (_what, now, expected) => {
    const { lookAt: _, ...decision } = decided({ limits, ...now });
    const { lookAt: __, ...nothing } = NOTHING;
    expect(decision).toEqual({ ...nothing, ...expected });
  });
});

describe("a release", () => {
  const old = (id: string, idle: number, more: Partial<WorkerNow> = {}): WorkerNow =>
    worker(id, idle, { isOutdated: true, ...more });
  const three = [old("a", 0), old("b", 0), old("c", 0)];
  const one = { ...BY_COUNT, workersMin: 1, workersMax: 1 };

  test.each<Row>([
    ["starts one alone before it is known to start", { workers: three, isProven: false }, { start: 1 }],
    ["and none beside the one that starts", { workers: [...three, starting("n")], isProven: false }, {}],
    [
      "replaces one old worker, the longest idle first, by one that has called",
      { workers: [old("a", 0), old("b", 1), old("c", 2), worker("n", 0, { isNew: true })], waiting: 9 },
      { retire: ["c"], throttled: 8 },
    ],
    [
      "starts as many at once as there is room for",
      { limits: { ...BY_COUNT, workersMax: 9 }, workers: [...three, worker("n", 1)], isProven: true },
      { start: 2, retire: ["a"] },
    ],
    [
      "or as its pace says",
      {
        limits: { ...BY_COUNT, workersMax: 9, releasePace: 1 },
        workers: [...three, worker("n", 1)],
        isProven: true,
      },
      { start: 1, retire: ["a"] },
    ],
    [
      "waits for one that finishes its job, where there is no room beside it",
      { workers: [old("a", 0, { wantsReplacement: true }), old("b", 0), old("c", 0), worker("n", 0)] },
      {},
    ],
    [
      "ends one that is replaced when it has no job",
      { limits: one, workers: [old("a", 1, { wantsReplacement: true }), worker("n", 1)] },
      { drain: ["a"] },
    ],
    ["ends at once an idle old one that nothing wants", { workers: [old("a", 1)] }, { retire: ["a"] }],
    [
      "without a surge an old one goes first",
      { limits: { ...one, releaseSurge: 0 }, workers: [old("a", 0)] },
      { retire: ["a"] },
    ],
    [
      "without a surge the next one starts when that has ended",
      { limits: { ...one, releaseSurge: 0 }, workers: [] },
      { start: 1, missing: 1 },
    ],
    [
      "wants nobody for the jobs of those that it has replaced",
      {
        limits: { ...BY_COUNT, workersMax: 9 },
        workers: [old("a", 0, { wantsReplacement: true }), worker("n", 0)],
      },
      {},
    ],
    ["waits after a start that failed", { workers: three, isProven: false, startsFrom: NOW + 1 }, {}],
  ])("%s", (_what, now, expected) => {
    expect(decided(now)).toEqual({ ...NOTHING, ...expected });
  });
});
