import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { SlidingWindow } from "../../src/http/limits/sliding-window.ts";

const LENGTH = 100;

/** What comes: how long after the one before, and how many in that millisecond. */
const TRAFFIC = fc.array(
  fc.tuple(fc.constantFrom(0, 1, 2, 7, 50, 99, 100, 101, 500), fc.integer({ min: 1, max: 5 })),
  {
    maxLength: 200,
  },
);

describe("the sliding window", () => {
  test("input 30: no span of its length has more than the limit; nobody is refused below it", () => {
    fc.assert(
      fc.property(TRAFFIC, fc.integer({ min: 1, max: 40 }), (traffic, limit) => {
        const window = new SlidingWindow(LENGTH);
        const admitted: number[] = [];
        let now = 1_800_000_000_000;
        for (const [pause, requests] of traffic) {
          now += pause;
          for (let request = 0; request < requests; request++) {
            const inSpan = admitted.filter((time) => time > now - LENGTH).length;
            expect(window.count(now)).toBe(inSpan);
            if (inSpan >= limit) continue;
            window.add(now);
            admitted.push(now);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("the time until there is room is exact to the millisecond, also for a limit that was lowered", () => {
    fc.assert(
      fc.property(TRAFFIC, fc.integer({ min: 1, max: 40 }), (traffic, limit) => {
        const window = new SlidingWindow(LENGTH);
        let now = 0;
        for (const [pause, requests] of traffic) {
          now += pause;
          for (let request = 0; request < requests; request++) window.add(now);
        }
        const wait = window.roomIn(limit, now);
        if (wait > 0) expect(window.count(now + wait - 1)).toBeGreaterThanOrEqual(limit);
        expect(window.count(now + wait)).toBeLessThan(limit);
      }),
      { numRuns: 300 },
    );
  });

  test("a full window of every millisecond is counted over many turns of the ring", () => {
    const window = new SlidingWindow(LENGTH);
    for (let now = 0; now < 50 * LENGTH; now++) {
      window.add(now);
      window.add(now);
      expect(window.count(now)).toBe(2 * Math.min(now + 1, LENGTH));
    }
  });
});
