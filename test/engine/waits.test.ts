import { expect, test } from "bun:test";
import { waits } from "../../src/engine/waits.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("a wait that a signal has ended leaves no timer that would end the next one early", async () => {
  const clock = new ManualClock();
  const { open, notify } = waits(clock);
  const waiting = open("key");
  const first = waiting.next(clock.now() + 100);
  notify("key");
  expect(await first).toBe(true);

  let isOver = false;
  const second = waiting.next(clock.now() + 1_000).finally(() => (isOver = true));
  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(await second).toBe(false);
});
