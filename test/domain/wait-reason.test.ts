import { describe, expect, test } from "bun:test";
import { MOST_WORKERS } from "../../src/domain/endpoint.ts";
import { endpointReason, type WaitCode, waitReason, type WaitFacts } from "../../src/domain/wait-reason.ts";

const NOW = Date.parse("2026-08-01T12:00:10Z");
const SINCE = Date.parse("2026-08-01T12:00:00Z");
const EXIT = {
  worker: "w1",
  how: "exit code 3",
  at: NOW,
  lastLines: ["Traceback", "line 1", "no such model"],
};

const ENDPOINT = {
  id: "e1",
  name: "chat",
  isPaused: false,
  workersMax: 3,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
} as const;

/** A job that waits since now, the next one, on an endpoint of which there is nothing to tell. */
const FACTS: WaitFacts = {
  endpoint: ENDPOINT,
  isManaged: true,
  fleet: undefined,
  starting: 0,
  startingSince: undefined,
  busy: 0,
  ready: [],
  unprovenVersion: undefined,
  position: 1,
  lowPriority: false,
  queuedAt: NOW,
  barred: undefined,
  now: NOW,
};
const OTHERS = { isManaged: false } as const;
const FAILING = { reason: undefined, throttled: 0, lastExit: EXIT, nextStartAt: NOW + 5_000 } as const;
const NOT_FAILING = { ...FAILING, lastExit: undefined, nextStartAt: undefined } as const;

type Row = readonly [what: string, facts: Partial<WaitFacts>, code: WaitCode, message: string];

const ROWS: readonly Row[] = [
  [
    "the endpoint is paused, whatever else is",
    { endpoint: { ...ENDPOINT, isPaused: true }, ready: ["w1"] },
    "PAUSED",
    "The endpoint is paused. Jobs wait until it is resumed (isPaused: false).",
  ],
  [
    "nobody is there, where workers come by themselves",
    OTHERS,
    "NO_WORKERS",
    "No worker is connected. Start one: `forebay worker env` prints the variables it needs.",
  ],
  [
    "all are busy, where workers come by themselves",
    { ...OTHERS, busy: 2, position: 3 },
    "WORKERS_BUSY",
    "All 2 workers are busy, and 2 jobs wait before this one. Start more workers.",
  ],
  ["one is busy, where workers come by themselves", { ...OTHERS, busy: 1 }, "WORKERS_BUSY", ""],
  ["a worker is free", { ready: ["w1"] }, "NEXT", "A worker is free and gets the job in a moment."],
  [
    "a worker is free, and others go first",
    { ready: ["w1"], position: 2 },
    "WORKERS_BUSY",
    "1 worker is free, and 1 job waits before this one. Start more workers.",
  ],
  [
    "only the worker is free that had it",
    { ready: ["w1"], barred: { worker: "w1", until: NOW + 2_000 } },
    "BARRED",
    "The only free worker, w1, lost this job and may still be running it. It can get the job again from " +
      "2026-08-01T12:00:12.000Z on. Any other worker gets it at once.",
  ],
  ["that time is over", { ready: ["w1"], barred: { worker: "w1", until: NOW } }, "NEXT", ""],
  ["another one is free too", { ready: ["w1", "w2"], barred: { worker: "w1", until: NOW + 1 } }, "NEXT", ""],
  [
    "two workers are free, and others go first",
    { ready: ["w1", "w2"], position: 4 },
    "WORKERS_BUSY",
    "2 workers are free, and 3 jobs wait before this one. Start more workers.",
  ],
  ["a worker is free where workers come by themselves", { ...OTHERS, ready: ["w1"], busy: 1 }, "NEXT", ""],
  [
    "a worker that has printed nothing ended by itself",
    { fleet: { ...FAILING, state: "UNHEALTHY", lastExit: { ...EXIT, lastLines: [""] } } },
    "CRASH_LOOP",
    "A worker exited or could not start: exit code 3. The next start is at " +
      "2026-08-01T12:00:15.000Z. Read its logs, then fix the template or the endpoint.",
  ],
  [
    "how the last worker ended is not known",
    { fleet: { ...NOT_FAILING, state: "CRASH_LOOP" } },
    "CRASH_LOOP",
    "Workers exit before they connect. Read its logs, then fix the template or the endpoint.",
  ],
  ["a version is awaited, and none of it starts", { busy: 1, unprovenVersion: 4 }, "SCALING_DELAY", ""],
  [
    "there may be no more, and some are starting",
    { busy: 1, starting: 2, startingSince: SINCE },
    "AT_MAXIMUM",
    "workersMax is 3. The only worker is busy, and no job waits before this one. Raise workersMax to " +
      "run more at once.",
  ],
  [
    "a worker starts, and when it was started is not known",
    { starting: 1 },
    "STARTING_WORKERS",
    "1 worker is starting. If that takes long, read the logs.",
  ],
  [
    "there may be none, and one is starting",
    { endpoint: { ...ENDPOINT, workersMax: 0 }, starting: 1 },
    "STARTING_WORKERS",
    "",
  ],
  [
    "there may be none, and one works",
    { endpoint: { ...ENDPOINT, workersMax: 0 }, busy: 1 },
    "AT_MAXIMUM",
    "",
  ],
  [
    "workers end before they call",
    { fleet: { ...FAILING, state: "CRASH_LOOP" } },
    "CRASH_LOOP",
    "Workers exit before they connect: exit code 3. The next start is at " +
      "2026-08-01T12:00:15.000Z. Read its logs, then fix the template or the endpoint.",
  ],
  [
    "the same, and one is tried",
    { fleet: { ...FAILING, state: "CRASH_LOOP" }, starting: 1 },
    "CRASH_LOOP",
    "",
  ],
  [
    "the last worker ended by itself",
    { fleet: { ...FAILING, state: "UNHEALTHY", nextStartAt: undefined } },
    "CRASH_LOOP",
    "A worker exited or could not start: exit code 3. " +
      "Read its logs, then fix the template or the endpoint.",
  ],
  [
    "the same, and another one works",
    { fleet: { ...FAILING, state: "UNHEALTHY" }, busy: 1, queuedAt: SINCE },
    "WORKERS_BUSY",
    "The only worker is busy, and no job waits before this one. The scaler has started enough workers " +
      "for this queue. To start more, lower scalerValue.",
  ],
  [
    "the first worker of a version is awaited",
    { busy: 1, starting: 1, unprovenVersion: 4 },
    "RELEASE",
    "The endpoint is changing to version 4. Its first worker must connect before others start. " +
      "If that takes long, read its logs, or roll back.",
  ],
  [
    "workers start",
    { starting: 2, startingSince: SINCE },
    "STARTING_WORKERS",
    "2 workers are starting, since 2026-08-01T12:00:00.000Z. If that takes long, read the logs.",
  ],
  ["nobody has looked yet", {}, "STARTING_WORKERS", "A worker starts in a moment."],
  [
    "one works and another one starts",
    { busy: 1, starting: 1, startingSince: SINCE },
    "STARTING_WORKERS",
    "1 worker is starting, since 2026-08-01T12:00:00.000Z. If that takes long, read the logs.",
  ],
  [
    "there may be none",
    { endpoint: { ...ENDPOINT, workersMax: 0 } },
    "NO_WORKERS",
    "workersMax of the endpoint is 0, so no worker starts. Set it to 1 or more.",
  ],
  [
    "there may be no more",
    { busy: 3, position: 2 },
    "AT_MAXIMUM",
    "workersMax is 3. All 3 workers are busy, and 1 job waits before this one. Raise workersMax to " +
      "run more at once.",
  ],
  [
    "the next worker fits nowhere",
    {
      fleet: {
        ...NOT_FAILING,
        state: "NO_ROOM",
        reason:
          "The worker needs 1 GPU; local has 0 of 2 NVIDIA L40S free. It starts when enough resources are " +
          "free.",
      },
      busy: 2,
    },
    "NO_ROOM",
    "The worker needs 1 GPU; local has 0 of 2 NVIDIA L40S free. It starts when enough resources are free.",
  ],
  [
    "there may be no more, and those that are there are ending",
    { fleet: { ...NOT_FAILING, state: "AT_MAXIMUM", throttled: 1 } },
    "AT_MAXIMUM",
    "workersMax is 3. The remaining workers are stopping, and no job waits before this one. Raise " +
      "workersMax to run more at once.",
  ],
  [
    "another worker starts later",
    { busy: 1 },
    "SCALING_DELAY",
    "The only worker is busy, and no job waits before this one. To start workers sooner, lower " +
      "scalerValue. Another worker starts when the job has waited for 4 s, at 2026-08-01T12:00:14.000Z.",
  ],
  ["it has waited so long", { busy: 1, queuedAt: SINCE }, "WORKERS_BUSY", ""],
  ["it has waited so long in this moment", { busy: 1, queuedAt: NOW - 4_000 }, "SCALING_DELAY", ""],
  ["it has waited for longer by 1 ms", { busy: 1, queuedAt: NOW - 4_001 }, "WORKERS_BUSY", ""],
  [
    "requests are counted, and they are enough",
    { busy: 1, endpoint: { ...ENDPOINT, scalerType: "REQUEST_COUNT" } },
    "WORKERS_BUSY",
    "",
  ],
  [
    "it is of low priority, and nobody is there",
    { lowPriority: true },
    "NO_WORKERS",
    "No worker runs. A low-priority job starts no worker. To start one, submit the job without lowPriority.",
  ],
  [
    "it is of low priority, and all are busy",
    { lowPriority: true, busy: 1 },
    "WORKERS_BUSY",
    "The only worker is busy, and no job waits before this one. A low-priority job starts no worker. " +
      "To start one, submit the job without lowPriority.",
  ],
];

describe("design row 23: why a job waits", () => {
  test.each(ROWS)("%s", (_what, facts, code, message) => {
    const reason = waitReason({ ...FACTS, ...facts });
    expect(reason.code).toBe(code);
    if (message !== "") expect(reason.message).toBe(message);
    expect(reason.message).toMatch(/\.$/);
  });
});

const { position: _, lowPriority: __, queuedAt: ___, barred: ____, ...OF_ENDPOINT } = FACTS;

describe("why the jobs of an endpoint wait", () => {
  test.each([
    ["nobody is there", OTHERS, "NO_WORKERS", "forebay worker env --endpoint chat"],
    ["paused", { endpoint: { ...ENDPOINT, isPaused: true } }, "PAUSED", "forebay endpoints resume chat"],
    [
      "there may be none",
      { endpoint: { ...ENDPOINT, workersMax: 0 } },
      "NO_WORKERS",
      "forebay endpoints update chat --workers-max 1",
    ],
    ["workers end", { fleet: { ...FAILING, state: "CRASH_LOOP" } }, "CRASH_LOOP", "forebay logs chat"],
    [
      "the next one fits nowhere",
      { fleet: { ...NOT_FAILING, state: "NO_ROOM", reason: "gpu-1 is away." } },
      "NO_ROOM",
      undefined,
    ],
    [
      "its name would need quotes",
      { ...OTHERS, endpoint: { ...ENDPOINT, name: "a b" } },
      "NO_WORKERS",
      "forebay worker env --endpoint e1",
    ],
  ] as const)("%s: it says so without a job, with a command", (_what, facts, code, command) => {
    const reason = endpointReason({ ...OF_ENDPOINT, ...facts }, 0);
    expect([reason?.code, reason?.command]).toEqual([code, command]);
    expect(reason?.lastLines).toEqual(code === "CRASH_LOOP" ? EXIT.lastLines : undefined);
    expect(endpointReason({ ...OF_ENDPOINT, ...facts }, 1)).toEqual(reason);
  });

  test("workers that start, and busy workers at the maximum, are told of while jobs wait", () => {
    const starting = { ...OF_ENDPOINT, starting: 1 };
    const full = { ...OF_ENDPOINT, busy: 3 };
    expect([endpointReason(starting, 0), endpointReason(full, 0)]).toEqual([undefined, undefined]);
    expect(endpointReason(starting, 1)?.code).toBe("STARTING_WORKERS");
    expect(endpointReason(full, 1)).toEqual({
      code: "AT_MAXIMUM",
      message: "workersMax is 3. All 3 workers are busy. Raise workersMax to run more at once.",
      command: "forebay endpoints update chat --workers-max 4",
    });
    const highest = { ...full, endpoint: { ...ENDPOINT, workersMax: MOST_WORKERS }, busy: MOST_WORKERS };
    expect(endpointReason(highest, 1)).not.toHaveProperty("command");
  });

  test("a free worker, and one that is about to start, are no reason", () => {
    expect(endpointReason({ ...OF_ENDPOINT, ready: ["w1"] }, 1)).toBeUndefined();
    expect(endpointReason({ ...OF_ENDPOINT, busy: 1 }, 1)).toBeUndefined();
    expect(endpointReason(OF_ENDPOINT, 0)).toBeUndefined();
  });
});
