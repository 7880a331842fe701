import { addHistogram, emptyHistogram, type Histogram } from "./histogram.ts";

/** The events of jobs that are counted for an endpoint. */
export const COUNTED = [
  "submitted",
  "taken",
  "completed",
  /** Results with an error, results that cannot be stored, and jobs that were lost too often. */
  "failed",
  "timedOut",
  /** By cancel and by purge-queue. */
  "cancelled",
  /** By retry. */
  "retried",
  /** Attempts whose worker was lost. */
  "lost",
] as const;

export type Counted = (typeof COUNTED)[number];

/** The figures of the jobs of an endpoint in some time. */
export interface Figures {
  readonly counts: Record<Counted, number>;
  /** From the time when a job was last queued to its hand-out, ms. */
  readonly delay: Histogram;
  /** From the hand-out of an attempt to the end of its job, ms. */
  readonly execution: Histogram;
  /** The last look at the queue; undefined if there was none. */
  queue: QueueSample | undefined;
}

export interface QueueSample {
  readonly at: number;
  readonly inQueue: number;
  readonly inProgress: number;
}

export function emptyFigures(): Figures {
  const counts: Record<Counted, number> = {
    submitted: 0,
    taken: 0,
    completed: 0,
    failed: 0,
    timedOut: 0,
    cancelled: 0,
    retried: 0,
    lost: 0,
  };
  return { counts, delay: emptyHistogram(), execution: emptyHistogram(), queue: undefined };
}

/** Adds other figures, of the same time or a later one. */
export function addFigures(figures: Figures, added: Figures): void {
  for (const name of COUNTED) figures.counts[name] += added.counts[name];
  addHistogram(figures.delay, added.delay);
  addHistogram(figures.execution, added.execution);
  if (added.queue !== undefined && (figures.queue?.at ?? 0) <= added.queue.at) figures.queue = added.queue;
}

/** The figures as a store keeps them: short, because there are many. `parseFigures` reads them. */
export function figuresText({ counts, delay, execution, queue }: Figures): string {
  const sample = queue === undefined ? [] : [queue.at, queue.inQueue, queue.inProgress];
  const largest = [delay.largest ?? null, execution.largest ?? null];
  return JSON.stringify([
    COUNTED.map((name) => counts[name]),
    sparse(delay),
    sparse(execution),
    sample,
    largest,
  ]);
}

/** Reads what `figuresText` has written. */
export function parseFigures(text: string): Figures {
  const figures = emptyFigures();
  // 0.1.0 kept no largest durations.
  const [counts, delay, execution, [at, inQueue, inProgress], largest = []] = JSON.parse(text);
  for (const [index, name] of COUNTED.entries()) figures.counts[name] = counts[index] ?? 0;
  fill(figures.delay, delay, largest[0]);
  fill(figures.execution, execution, largest[1]);
  if (at !== undefined) figures.queue = { at, inQueue, inProgress };
  return figures;
}

/** The sum, then each bucket that is not empty, after its number. */
function sparse({ sum, buckets }: Histogram): number[] {
  return [sum, ...buckets.flatMap((count, bucket) => (count === 0 ? [] : [bucket, count]))];
}

function fill(histogram: Histogram, [sum = 0, ...pairs]: number[], largest: number | null | undefined): void {
  histogram.sum = sum;
  histogram.largest = pairs.length === 0 ? 0 : (largest ?? undefined);
  for (let at = 0; at < pairs.length; at += 2) histogram.buckets[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
}
