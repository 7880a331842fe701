import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEngine } from "../support/test-engine.ts";

let t: TestEngine;
beforeEach(async () => {
  t = await TestEngine.start();
});
afterEach(() => t.stop());

async function submittedInStore(): Promise<number> {
  const slots = await t.engine.store.statistics(t.endpoint, 3_600_000, 0);
  return slots.reduce((sum, { figures }) => sum + figures.counts.submitted, 0);
}

test("figures that could not be written are written the next time, once", async () => {
  const { store, statistics } = t.engine;
  await t.submit();
  const { apply } = store;
  store.apply = () => Promise.reject(new Error("the disk is full"));
  await expect(statistics.flush()).rejects.toThrow("the disk is full");
  store.apply = apply;
  expect(await submittedInStore()).toBe(0);
  await t.submit();
  await statistics.flush();
  await statistics.flush();
  expect(await submittedInStore()).toBe(2);
});
