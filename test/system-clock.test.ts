import { afterEach, describe, expect, test } from "bun:test";
import { steeredClock, systemClock, thisMachine } from "../src/host/system-clock.ts";
import { until } from "./support/until.ts";

const HOUR = 3_600_000;

describe("the clock of the system", () => {
  const wallClock = Date.now;
  afterEach(() => {
    Date.now = wallClock;
  });

  test.each([HOUR, -HOUR])("P14: a step of the wall clock by %d ms moves nothing", async (step) => {
    const clock = systemClock();
    const since = performance.now();
    const before = clock.now();
    const { promise: isDue, resolve } = Promise.withResolvers<number>();
    clock.after(50, () => resolve(performance.now()));
    Date.now = () => wallClock() + step;
    expect((await isDue) - since).toBeLessThan(1_000);
    const passed = performance.now() - since;
    expect(Math.abs(clock.now() - before - passed)).toBeLessThan(5);
  });

  test("P13: a timer never comes before its time", async () => {
    const clock = systemClock();
    const early = await Promise.all(
      Array.from({ length: 200 }, async (_, ms) => {
        const [since, from] = [performance.now(), clock.now()];
        const { promise, resolve } = Promise.withResolvers<void>();
        clock.after(ms / 4, resolve);
        await promise;
        return performance.now() - since < ms / 4 || clock.now() - from < Math.floor(ms / 4);
      }),
    );
    expect(early).not.toContain(true);
  });

  test("P14: a clock that is set back stands still until the other one has come so far", async () => {
    const clock = steeredClock(1_000_000);
    clock.steer(1_060_000);
    const before = clock.now();
    expect(before).toBeGreaterThanOrEqual(1_060_000);
    clock.steer(before - 20);
    expect(clock.now()).toBe(before);
    await until("time goes on", () => clock.now() > before);
  });

  test("a timer that was taken back does not come", async () => {
    const clock = systemClock();
    const came: string[] = [];
    const takeBack = clock.after(1, () => came.push("taken back"));
    takeBack();
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(20, resolve);
    await promise;
    expect(came).toEqual([]);
  });

  test.skipIf(process.platform !== "linux")(
    "this machine tells how long it is up, and which start that is",
    () => {
      const [first, second] = [thisMachine.uptime(), thisMachine.uptime()];
      expect(first?.boot).toMatch(/^[0-9a-f-]{36}$/);
      expect(second?.boot).toBe(first?.boot ?? "");
      expect((second?.ms ?? 0) - (first?.ms ?? 0)).toBeLessThan(1_000);
    },
  );
});
