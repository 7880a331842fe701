import { describe, expect, test } from "bun:test";
import { type Backoff, backoffAfter } from "../../src/fleet/backoff.ts";

describe("the waits before the next start", () => {
  test("double from half a second to half a minute", () => {
    const waits: number[] = [];
    let now = 0;
    let backoff: Backoff | undefined;
    for (let failure = 1; failure <= 9; failure++) {
      backoff = backoffAfter(backoff, now);
      waits.push(backoff.until - now);
      now = backoff.until;
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("workers that end within one wait count once", () => {
    const first = backoffAfter(undefined, 0);
    expect(backoffAfter(first, 499)).toEqual(first);
    expect(backoffAfter(first, 500)).toEqual({ failures: 2, until: 1_500 });
  });

  test("begin anew after a minute without such an end", () => {
    const later: Backoff = { failures: 7, until: 1_000 };
    expect(backoffAfter(later, 60_999)).toEqual({ failures: 8, until: 90_999 });
    expect(backoffAfter(later, 61_000)).toEqual({ failures: 1, until: 61_500 });
  });
});
