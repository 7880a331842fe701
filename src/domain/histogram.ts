/** Durations by size: how many are in each bucket of `BUCKET_BOUNDS`. The last bucket has all larger ones. */
export interface Histogram {
  readonly buckets: number[];
  /** The sum of all durations, ms. */
  sum: number;
  /** The largest duration, ms; 0 without any. Undefined if it is not known: 0.1.0 did not store it. */
  largest: number | undefined;
}

/** The preferred numbers of ISO 3, R5: each is about 1.6 times the one before. */
const SERIES = [1, 1.6, 2.5, 4, 6.3];

const DECADES = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** The largest duration of each bucket except the last, ms: five per decade, from 1 ms to 10,000 s. */
export const BUCKET_BOUNDS: readonly number[] = [
  ...DECADES.flatMap((decade) => SERIES.map((number) => Math.round(number * decade * 10) / 10)),
  10_000_000,
];

const EMPTY_BUCKETS: readonly number[] = [...BUCKET_BOUNDS, Infinity].map(() => 0);

export function emptyHistogram(): Histogram {
  return { buckets: [...EMPTY_BUCKETS], sum: 0, largest: 0 };
}

export function observe(histogram: Histogram, ms: number): void {
  const bucket = bucketOf(ms);
  histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0) + 1;
  histogram.sum += ms;
  if (histogram.largest !== undefined && ms > histogram.largest) histogram.largest = ms;
}

export function addHistogram(histogram: Histogram, { buckets, sum, largest }: Histogram): void {
  for (const [bucket, count] of buckets.entries()) {
    if (count > 0) histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0) + count;
  }
  histogram.sum += sum;
  const isKnown = histogram.largest !== undefined && largest !== undefined;
  histogram.largest = isKnown ? Math.max(histogram.largest ?? 0, largest) : undefined;
}

export function countOf({ buckets }: Histogram): number {
  return buckets.reduce((all, count) => all + count, 0);
}

/**
 * The duration that a share of them (0 to 1) does not exceed, whole ms. It assumes even distances within a
 * bucket, as histogram_quantile of Prometheus does, and is never above the largest duration if that is known.
 * Above the last bound it is that bound. Undefined if there are no durations.
 */
export function quantile(histogram: Histogram, share: number): number | undefined {
  const count = countOf(histogram);
  if (count === 0) return undefined;
  const rank = share * count;
  let below = 0;
  for (const [bucket, inside] of histogram.buckets.entries()) {
    const upper = BUCKET_BOUNDS[bucket];
    if (upper === undefined) break;
    if (inside > 0 && below + inside >= rank) {
      const lower = bucket === 0 ? 0 : (BUCKET_BOUNDS[bucket - 1] ?? 0);
      const estimate = lower + ((upper - lower) * (rank - below)) / inside;
      return Math.round(Math.min(estimate, histogram.largest ?? Infinity));
    }
    below += inside;
  }
  return BUCKET_BOUNDS.at(-1);
}

/** Binary search for the first bucket whose bound is not below the duration. */
function bucketOf(ms: number): number {
  let low = 0;
  let high = BUCKET_BOUNDS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((BUCKET_BOUNDS[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
