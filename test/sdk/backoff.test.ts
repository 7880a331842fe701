import { expect, test } from "bun:test";
import { Backoff, pause } from "../../sdk/src/backoff.ts";

test("waits are random within a window that doubles from 0.1 to 5 s, and starts anew after a success", () => {
  const windows = [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000];
  const longest = windows.map(() => 0);
  const backoff = new Backoff();
  for (let outage = 0; outage < 200; outage++) {
    for (const [failure, window] of windows.entries()) {
      const wait = backoff.next();
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThan(window);
      longest[failure] = Math.max(longest[failure] ?? 0, wait);
    }
    backoff.reset();
  }
  // Of 200 random waits one is in the upper half, but for one time in 2 to the 200.
  for (const [failure, window] of windows.entries()) expect(longest[failure]).toBeGreaterThan(window / 2);
});

test("a pause ends at once when nobody waits for it any more", async () => {
  const controller = new AbortController();
  const paused = pause(3_600_000, controller.signal);
  controller.abort();
  await paused;
  await pause(3_600_000, controller.signal);
});
