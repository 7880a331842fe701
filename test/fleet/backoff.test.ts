import { describe, expect, test } from "bun:test";
import { type Backoff, backoffAfter, isCrashLoop } from "../../src/fleet/backoff.ts";

/** The waits after `count` ends, each as soon as the wait before it is over. */
function waits(count: number, hasCalled: boolean): number[] {
  const lengths: number[] = [];
  let now = 0;
  let backoff: Backoff | undefined;
  for (let failure = 1; failure <= count; failure++) {
    backoff = backoffAfter(backoff, hasCalled, now);
    lengths.push(backoff.until - now);
    now = backoff.until;
  }
  return lengths;
}

describe("the waits before the next start", () => {
  test("double from half a second to half a minute", () => {
    expect(waits(9, true)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("of workers that never call, to five minutes", () => {
    expect(waits(12, false).slice(6)).toEqual([32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
  });

  test("workers that end within one wait count once", () => {
    const first = backoffAfter(undefined, true, 0);
    expect(backoffAfter(first, false, 499)).toEqual(first);
    expect(backoffAfter(first, true, 500)).toEqual({ failures: 2, startUps: 0, until: 1_500 });
  });

  test("begin anew after a minute without such an end", () => {
    const later: Backoff = { failures: 7, startUps: 0, until: 1_000 };
    expect(backoffAfter(later, true, 60_999).failures).toBe(8);
    expect(backoffAfter(later, true, 61_000)).toEqual({ failures: 1, startUps: 0, until: 61_500 });
  });

  test("do not where start-ups fail, which can take longer than that", () => {
    const later: Backoff = { failures: 7, startUps: 1, until: 1_000 };
    expect(backoffAfter(later, false, 1_000_000)).toMatchObject({ failures: 8, startUps: 2 });
  });
});

test("three start-ups in a row that fail are a crash loop; a worker that called in between is none", () => {
  const ends = (...calls: boolean[]): Backoff | undefined =>
    calls.reduce<Backoff | undefined>(
      (earlier, hasCalled) => backoffAfter(earlier, hasCalled, earlier?.until ?? 0),
      undefined,
    );
  expect(isCrashLoop(undefined)).toBe(false);
  expect(isCrashLoop(ends(false, false))).toBe(false);
  expect(isCrashLoop(ends(false, false, false))).toBe(true);
  expect(isCrashLoop(ends(false, false, true, false, false))).toBe(false);
});
