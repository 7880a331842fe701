import { describe, expect, test } from "bun:test";
import { addFigures, emptyFigures, figuresText, parseFigures } from "../../src/domain/figures.ts";
import {
  addHistogram,
  BUCKET_BOUNDS,
  countOf,
  emptyHistogram,
  observe,
  quantile,
} from "../../src/domain/histogram.ts";
import { firstSlot, SLOT_WIDTHS, slotAt, STATISTICS_PERIODS } from "../../src/domain/statistics.ts";

const of = (...durations: number[]) => {
  const histogram = emptyHistogram();
  for (const ms of durations) observe(histogram, ms);
  return histogram;
};

describe("a histogram", () => {
  test("has five bounds in each decade from 1 ms to 10,000 s", () => {
    const zeros = ["", "0", "00", "000", "0000", "00000"];
    const whole = zeros.flatMap((end) => ["10", "16", "25", "40", "63"].map((start) => Number(start + end)));
    expect(BUCKET_BOUNDS).toEqual([1, 1.6, 2.5, 4, 6.3, ...whole, 10_000_000]);
    expect(emptyHistogram()).toEqual({ buckets: Array<number>(37).fill(0), sum: 0, largest: 0 });
  });

  test("counts a duration in the first bucket whose bound is not below it", () => {
    const filled = (ms: number): number => of(ms).buckets.indexOf(1);
    expect([0, 1, 1.1, 1.6, 2, 10_000_000, 10_000_001].map(filled)).toEqual([0, 0, 1, 1, 2, 35, 36]);
    for (const [bucket, bound] of BUCKET_BOUNDS.entries()) expect(filled(bound)).toBe(bucket);
  });

  test("sums and counts, also with another one added", () => {
    const histogram = of(1, 2, 2);
    addHistogram(histogram, of(2, 30));
    expect(countOf(histogram)).toBe(5);
    expect(histogram.sum).toBe(37);
    expect(histogram).toEqual(of(1, 2, 2, 2, 30));
  });

  test("has quantiles as if durations were at even distances within a bucket", () => {
    // Between 4 and 6.3 ms, between 63 and 100 ms, and in the first bucket.
    expect(quantile(of(5, 5, 70, 70), 0)).toBe(4);
    expect(quantile(of(5, 5, 70, 70), 0.25)).toBe(5);
    expect(quantile(of(5, 5, 70, 70), 0.5)).toBe(6);
    expect(quantile(of(5, 5, 70, 90), 0.75)).toBe(82);
    expect(quantile(of(5, 5, 70, 100), 1)).toBe(100);
    expect(quantile(of(1_500, 1_500), 0.5)).toBe(1_300);
  });

  test("has no quantile above the largest duration, also of sums and of what was stored", () => {
    expect(quantile(of(0, 0), 1)).toBe(0);
    expect(quantile(of(5, 5, 70, 70), 0.99)).toBe(70);
    const sum = emptyFigures();
    for (const ms of [65, 66]) {
      const added = emptyFigures();
      observe(added.execution, ms);
      addFigures(sum, parseFigures(figuresText(added)));
    }
    expect(quantile(parseFigures(figuresText(sum)).execution, 0.99)).toBe(66);
    expect(quantile(parseFigures(figuresText(sum)).delay, 0.99)).toBeUndefined();
  });

  test("estimates quantiles where a part of it was stored without its largest duration", () => {
    const old = parseFigures("[[],[0],[140,9,2],[]]");
    expect(quantile(old.execution, 1)).toBe(63);
    addFigures(old, emptyFigures());
    expect(old.execution.largest).toBeUndefined();
    const both = emptyFigures();
    observe(both.execution, 61);
    addFigures(both, old);
    expect(quantile(both.execution, 1)).toBe(63);
  });

  test("has none without durations, and the last bound for what is above it", () => {
    expect(quantile(emptyHistogram(), 0.5)).toBeUndefined();
    expect(quantile(of(20_000_000), 0.5)).toBe(10_000_000);
  });
});

describe("figures", () => {
  const sample = () => {
    const figures = emptyFigures();
    for (const [index, name] of (Object.keys(figures.counts) as "lost"[]).entries()) {
      figures.counts[name] = index + 1;
    }
    observe(figures.delay, 5);
    observe(figures.delay, 7_000);
    observe(figures.execution, 300);
    figures.queue = { at: 10, inQueue: 3, inProgress: 2 };
    return figures;
  };

  test("begin at none", () => {
    const { counts, delay, execution, queue } = emptyFigures();
    expect(counts).toEqual({
      submitted: 0,
      taken: 0,
      completed: 0,
      failed: 0,
      timedOut: 0,
      cancelled: 0,
      retried: 0,
      lost: 0,
    });
    expect([countOf(delay), countOf(execution), queue]).toEqual([0, 0, undefined]);
  });

  test("are the same after they were stored and read", () => {
    expect(parseFigures(figuresText(sample()))).toEqual(sample());
    expect(parseFigures(figuresText(emptyFigures()))).toEqual(emptyFigures());
  });

  test("stored before there was a count or a look at the queue have none of it", () => {
    const { counts, queue, delay } = parseFigures("[[7],[3,0,2],[0],[]]");
    expect(Object.values(counts)).toEqual([7, 0, 0, 0, 0, 0, 0, 0]);
    expect([queue, delay.sum, countOf(delay)]).toEqual([undefined, 3, 2]);
  });

  test("are added, with the later look at the queue", () => {
    const sum = sample();
    addFigures(sum, { ...sample(), queue: { at: 9, inQueue: 0, inProgress: 0 } });
    expect(sum.counts).toEqual({
      submitted: 2,
      taken: 4,
      completed: 6,
      failed: 8,
      timedOut: 10,
      cancelled: 12,
      retried: 14,
      lost: 16,
    });
    expect([countOf(sum.delay), countOf(sum.execution)]).toEqual([4, 2]);
    expect(sum.queue).toEqual({ at: 10, inQueue: 3, inProgress: 2 });
    addFigures(sum, { ...emptyFigures(), queue: { at: 10, inQueue: 1, inProgress: 1 } });
    expect(sum.queue).toEqual({ at: 10, inQueue: 1, inProgress: 1 });
    addFigures(sum, emptyFigures());
    expect(sum.queue?.at).toBe(10);
  });
});

describe("the slots of statistics", () => {
  test("begin at whole multiples of their width, and the last one holds this moment", () => {
    expect([19_999, 20_000, 20_001].map((time) => slotAt(time, 10_000))).toEqual([10_000, 20_000, 20_000]);
    expect(firstSlot(905_000, 900_000, 10_000)).toBe(10_000);
  });

  test("are kept for an hour by 10 s, and for 30 days by the hour, which each period needs", () => {
    expect(SLOT_WIDTHS.map(({ width, keptFor }) => [width, keptFor])).toEqual([
      [10_000, 3_600_000],
      [3_600_000, 2_592_000_000],
    ]);
    expect(
      Object.entries(STATISTICS_PERIODS).map(([name, { length, width }]) => [name, length, width]),
    ).toEqual([
      ["15m", 900_000, 10_000],
      ["1h", 3_600_000, 10_000],
      ["24h", 86_400_000, 3_600_000],
      ["7d", 604_800_000, 3_600_000],
      ["30d", 2_592_000_000, 3_600_000],
    ]);
  });
});
