import { describe, expect, test } from "bun:test";
import { KEPT_ATTEMPTS, KEPT_ERROR_BYTES, KEPT_OUTPUT_BYTES, outcomeIn } from "../../src/domain/attempt.ts";
import { diskState, fullBytes, lowBytes } from "../../src/domain/disk-space.ts";
import { type EndedAttempt } from "../../src/domain/attempt.ts";
import { type GivenBackAttempt, lateAttempt, type LateSubject } from "../../src/domain/late-result.ts";
import {
  damagedPayload,
  isStored,
  PAYLOAD_INLINE_LIMIT,
  sizeOf,
  sizeOfAll,
} from "../../src/domain/payload.ts";
import {
  DEFAULT_POLICY,
  EXECUTION_TIMEOUT,
  IDEMPOTENCY_LIFETIME,
  RETENTION,
  RUN_RETENTION,
  RUNSYNC_RETENTION,
  STATUS_TTL,
  TTL,
  WAIT,
} from "../../src/domain/policy.ts";
import { overCap } from "../../src/domain/queue-cap.ts";

const DAY = 86_400_000;
const MB = 1_048_576;

test("durations have the ranges and defaults of the specification", () => {
  expect(EXECUTION_TIMEOUT).toEqual({ min: 5_001, max: Number.MAX_SAFE_INTEGER, default: 600_000 });
  expect(TTL).toEqual({ min: 10_000, max: 7 * DAY, default: DAY });
  expect(STATUS_TTL).toEqual({ min: 1, max: 7 * DAY, default: DAY });
  expect(WAIT).toEqual({ min: 1_000, max: 300_000, default: 90_000 });
  expect(RETENTION).toEqual({ min: 1_000, max: 7 * DAY, default: 1_800_000 });
  expect([RUN_RETENTION, RUNSYNC_RETENTION, IDEMPOTENCY_LIFETIME]).toEqual([1_800_000, 60_000, DAY]);
  expect(DEFAULT_POLICY).toEqual({ executionTimeout: 600_000, ttl: DAY, lowPriority: false });
});

test("what is kept of attempts: the last 50, 16 KiB of output, 2 KiB of an error", () => {
  expect([KEPT_ATTEMPTS, KEPT_OUTPUT_BYTES, KEPT_ERROR_BYTES]).toEqual([50, 16_384, 2_048]);
  expect(outcomeIn("IN_QUEUE")).toBe("RUNNING");
  expect(outcomeIn("IN_PROGRESS")).toBe("RUNNING");
  expect(outcomeIn("TIMED_OUT")).toBe("TIMED_OUT");
});

describe("a payload", () => {
  const stored = { file: "f", size: 9 };

  test("above 64 KiB is stored outside the row", () => {
    expect(PAYLOAD_INLINE_LIMIT).toBe(65_536);
  });

  test("has a size wherever its bytes are", () => {
    expect([isStored(stored), isStored(new Uint8Array(3))]).toEqual([true, false]);
    expect([sizeOf(stored), sizeOf(new Uint8Array(3))]).toEqual([9, 3]);
    expect([sizeOfAll([stored, new Uint8Array(3)]), sizeOfAll([])]).toEqual([12, 0]);
    expect(damagedPayload(5, "gone")).toEqual({ file: "", size: 5, damage: "gone" });
  });
});

describe("a disk", () => {
  test("is low below a tenth of it or 5 GiB, and full below a tenth of it or 64 MiB", () => {
    const large = 100_000 * MB;
    expect([lowBytes({ free: 0, total: large }), fullBytes({ free: 0, total: large })]).toEqual([
      5_120 * MB,
      64 * MB,
    ]);
    const small = 100 * MB;
    expect(lowBytes({ free: 0, total: small })).toBe(10 * MB);
    expect(fullBytes({ free: 0, total: small })).toBe(10 * MB);
  });

  test.each([
    [5_120 * MB, "ok"],
    [5_120 * MB - 1, "low"],
    [64 * MB, "low"],
    [64 * MB - 1, "full"],
  ] as const)("of 100 GB with %d bytes free is %s", (free, state) => {
    expect(diskState({ free, total: 100_000 * MB })).toBe(state);
  });
});

describe("the cap of a queue", () => {
  const fill = { queued: 4, queuedBytes: 40 };

  test.each([
    [undefined, 100, undefined],
    [{ jobs: undefined, bytes: undefined }, 100, undefined],
    [{ jobs: 5, bytes: undefined }, 100, undefined],
    [{ jobs: 4, bytes: undefined }, 1, "jobs"],
    [{ jobs: undefined, bytes: 50 }, 10, undefined],
    [{ jobs: undefined, bytes: 50 }, 11, "bytes"],
    [{ jobs: 4, bytes: 0 }, 11, "jobs"],
    [{ jobs: 0, bytes: undefined }, 1, "jobs"],
  ] as const)("%o refuses %d bytes more because of %s", (cap, size, what) => {
    expect(overCap(cap, fill, size)).toBe(what);
  });
});

describe("a result that comes after its attempt was given back", () => {
  const ENDED: EndedAttempt = {
    outcome: "LOST",
    queuedAt: 0,
    startedAt: 1_000,
    endedAt: 1_500,
    worker: "w1",
    position: 7,
    chunks: 0,
  };
  const attempt = (number: number, changes: Partial<EndedAttempt> = {}): GivenBackAttempt => ({
    attempt: number,
    ended: { ...ENDED, ...changes },
  });
  const JOB: LateSubject = {
    worker: "w1",
    position: 7,
    executionTimeout: 1_000,
    expiresAt: 10_000,
    attempt: 2,
    chunks: 0,
  };
  const found = (job: Partial<LateSubject>, kept: readonly GivenBackAttempt[], now = 1_999) =>
    lateAttempt({ ...JOB, ...job }, kept, now)?.attempt;

  test("counts for the newest attempt of this worker in the same run", () => {
    expect(found({}, [attempt(1)])).toBe(1);
    expect(found({}, [attempt(1), attempt(2), attempt(3, { worker: "w2" })])).toBe(2);
    expect(found({}, [attempt(1, { worker: "w2" })])).toBeUndefined();
    expect(found({}, [attempt(1, { position: 6 })])).toBeUndefined();
  });

  test("counts only before the execution timeout of the attempt and the TTL of the job", () => {
    expect(found({}, [attempt(1)], 2_000)).toBeUndefined();
    expect(found({ expiresAt: 1_999 }, [attempt(1)])).toBeUndefined();
    expect(found({ expiresAt: 2_000 }, [attempt(1)])).toBe(1);
  });

  test("does not count once any attempt of the run has sent a chunk", () => {
    expect(found({ chunks: 1 }, [attempt(1)])).toBeUndefined();
    expect(found({}, [attempt(1), attempt(2, { worker: "w2", chunks: 1 })])).toBeUndefined();
    expect(found({}, [attempt(1, { position: 6, chunks: 1 }), attempt(2)])).toBe(2);
  });

  test("does not count where an earlier attempt of the run may be forgotten", () => {
    const run = Array.from({ length: KEPT_ATTEMPTS }, (_, index) => attempt(index + 2));
    expect(found({ attempt: KEPT_ATTEMPTS + 1 }, run)).toBeUndefined();
    expect(found({ attempt: KEPT_ATTEMPTS }, run)).toBe(KEPT_ATTEMPTS + 1);
    expect(found({ attempt: KEPT_ATTEMPTS + 1 }, [attempt(1, { position: 6 }), attempt(2)])).toBe(2);
  });
});
