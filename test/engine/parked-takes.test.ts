import { expect, test } from "bun:test";
import { workerLoad } from "../../src/engine/known-workers.ts";
import { ParkedTakes } from "../../src/engine/parked-takes.ts";
import { steeredClock } from "../../src/host/system-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("a call waits no longer than its hold when the clock is set back", async () => {
  const own = new ManualClock();
  const clock = steeredClock(own.now(), { now: () => own.now(), after: (ms, act) => own.after(ms, act) });
  const rules = { load: workerLoad(), isPaused: () => false, isOutdated: () => false };
  const meanwhile = { isSilent: () => false, pingInterval: 3_000, notice: () => undefined };
  const parked = new ParkedTakes(clock, rules, meanwhile);
  const answered: string[] = [];
  const park = (name: string) =>
    void parked.park("e", name, 1, clock.now() + 20_000).jobs.then(() => answered.push(name));

  park("first");
  await own.advance(1_000);
  clock.steer(clock.now() - 3_600_000);
  await own.advance(1_000);
  park("second");
  await own.advance(17_999);
  expect(answered).toEqual([]);
  await own.advance(1);
  expect(answered).toEqual(["first"]);
  await own.advance(2_000);
  expect(answered).toEqual(["first", "second"]);
});
