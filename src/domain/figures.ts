import { addHistogram, emptyHistogram, type Histogram } from "./histogram.ts";

/** What is counted of the jobs of an endpoint. */
export const COUNTED = [
  "submitted",
  "taken",
  "completed",
  /** Results with an error, results that cannot be kept, and jobs that were lost too often. */
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

/** What has happened to the jobs of an endpoint within some time. */
export interface Figures {
  readonly counts: Record<Counted, number>;
  /** From the last queueing of a job to its hand-out, ms. */
  readonly delay: Histogram;
  /** From the hand-out of an attempt that ended its job to that end, ms. */
  readonly execution: Histogram;
  /** The last that was seen of the queue; undefined when nobody has looked. */
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

/** Adds what the others say, which happened beside it or after it. */
export function addFigures(figures: Figures, added: Figures): void {
  for (const name of COUNTED) figures.counts[name] += added.counts[name];
  addHistogram(figures.delay, added.delay);
  addHistogram(figures.execution, added.execution);
  if (added.queue !== undefined && (figures.queue?.at ?? 0) <= added.queue.at) figures.queue = added.queue;
}

/** As a store keeps them: short, because there are many; `parseFigures` reads it. */
export function figuresText({ counts, delay, execution, queue }: Figures): string {
  const sample = queue === undefined ? [] : [queue.at, queue.inQueue, queue.inProgress];
  return JSON.stringify([COUNTED.map((name) => counts[name]), sparse(delay), sparse(execution), sample]);
}

/** What `figuresText` has written. */
export function parseFigures(text: string): Figures {
  const figures = emptyFigures();
  const [counts, delay, execution, [at, inQueue, inProgress]] = JSON.parse(text);
  for (const [index, name] of COUNTED.entries()) figures.counts[name] = counts[index] ?? 0;
  fill(figures.delay, delay);
  fill(figures.execution, execution);
  if (at !== undefined) figures.queue = { at, inQueue, inProgress };
  return figures;
}

/** The sum, and then each bucket that is not empty behind its number. */
function sparse({ sum, buckets }: Histogram): number[] {
  return [sum, ...buckets.flatMap((count, bucket) => (count === 0 ? [] : [bucket, count]))];
}

function fill(histogram: Histogram, [sum = 0, ...pairs]: number[]): void {
  histogram.sum = sum;
  for (let at = 0; at < pairs.length; at += 2) histogram.buckets[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
}
