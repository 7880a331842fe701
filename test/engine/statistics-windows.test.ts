import { expect, test } from "bun:test";
import { emptyFigures } from "../../src/domain/figures.ts";
import { slotAt, type StatisticsSlot } from "../../src/domain/statistics.ts";
import { statisticsWindows } from "../../src/engine/statistics/statistics-windows.ts";
import { ManualClock } from "../support/manual-clock.ts";

const WIDTH = 10_000;

test("slots that nobody adds to are read once, and again if one of them is written late", async () => {
  const clock = new ManualClock();
  const first = slotAt(clock.now(), WIDTH);
  const last = first + 40_000;
  const stored = new Map<number, number>();
  const slot = (at: number): StatisticsSlot => {
    const figures = emptyFigures();
    figures.counts.submitted = stored.get(at) ?? 0;
    return { endpoint: "e", width: WIDTH, at, figures };
  };
  const windows = statisticsWindows(clock, {
    stored: async (_endpoint, _width, from) => [...stored.keys()].filter((at) => at >= from).map(slot),
    unwritten: () => [],
  });
  const read = async () =>
    [...(await windows.read("e", WIDTH, 0))].map(([at, { counts }]) => [at, counts.submitted]);

  stored.set(first, 1);
  expect(await read()).toEqual([[first, 1]]);
  await clock.advance(40_000);
  stored.set(last, 1);
  const both = [
    [first, 1],
    [last, 1],
  ];
  expect(await read()).toEqual(both);
  stored.set(first, 2);
  expect(await read()).toEqual(both);
  // One that is read each time says nothing of the others.
  windows.written([slot(last)]);
  expect(await read()).toEqual(both);
  windows.written([slot(first)]);
  expect(await read()).toEqual([
    [first, 2],
    [last, 1],
  ]);
});
