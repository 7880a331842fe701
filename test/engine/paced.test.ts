import { expect, test } from "bun:test";
import { paceAfter, paced } from "../../src/engine/paced.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** Between two runs of the background job, ms. */
const SWEEP_INTERVAL = 250;

/** Runs for so long, while so many rows are due and as many more fall due each second. */
async function removedIn(ms: number, due: number, perSecond: number) {
  const clock = new ManualClock();
  const startedAt = clock.now();
  const slices: { readonly at: number; readonly count: number }[] = [];
  let removed = 0;
  const dueNow = (): number => due + ((clock.now() - startedAt) * perSecond) / 1_000 - removed;
  const run = () =>
    paced({ clock, isStopping: false }, async (limit) => {
      const count = Math.min(limit, Math.floor(dueNow()));
      slices.push({ at: clock.now() - startedAt, count });
      removed += count;
      return count === limit;
    });
  const sweep = async (): Promise<void> => {
    await run();
    await new Promise<void>((resolve) => void clock.after(SWEEP_INTERVAL, resolve));
    await sweep();
  };
  const running = perSecond > 0 ? sweep() : run();
  await clock.advance(ms);
  return { slices, removed, left: dueNow(), running };
}

test("rows go in small slices, with pauses between them in which others commit", async () => {
  const { slices } = await removedIn(20_000, 1_000_000, 0);
  expect(slices.length).toBeGreaterThan(100);
  for (const [index, { at, count }] of slices.entries()) {
    expect(count).toBeLessThanOrEqual(240);
    expect(at - (slices[index - 1]?.at ?? -20)).toBeGreaterThanOrEqual(20);
  }
});

test("a million rows go within two minutes", async () => {
  const { removed } = await removedIn(120_000, 1_000_000, 0);
  expect(removed).toBe(1_000_000);
});

test.each([5_000, 10_000])("where %p rows fall due each second it does not fall behind", async (rate) => {
  const { removed, left } = await removedIn(30_000, rate, rate);
  expect(removed).toBeGreaterThan(rate * 20);
  expect(left).toBeLessThan(rate * 10);
});

test.each([
  [0, 4],
  [4_000, 8],
  [8_000, 12],
  [300_000, 12],
  [300_001, 48],
])("once rows have been left for %p ms the pace is %p rows for each ms", (time, pace) => {
  expect(paceAfter(time)).toBe(pace);
});

test("it ends with the slice that finds less than it may remove", async () => {
  const { slices, running } = await removedIn(1_000, 100, 0);
  await running;
  expect(slices.map(({ count }) => count)).toEqual([80, 20]);
});

test("it ends when the server stops", async () => {
  const clock = new ManualClock();
  const engine = { clock, isStopping: false };
  let slices = 0;
  const running = paced(engine, async () => ++slices > 0);
  await clock.advance(100);
  engine.isStopping = true;
  await clock.advance(20);
  await running;
  expect(slices).toBe(6);
});
