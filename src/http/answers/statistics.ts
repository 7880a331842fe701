import { z } from "zod";
import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import type { Figures } from "../../domain/figures.ts";
import { countOf, type Histogram, quantile } from "../../domain/histogram.ts";
import { type EndpointStatistics, PERIODS } from "../../domain/statistics.ts";
import { type Answered, count, dateText, id, moment, type Shown, span } from "./members.ts";
import { presentReason, waitReason } from "./fleet.ts";
import { presentWorkerCounts, workerCounts } from "./worker.ts";

/** The state of endpoints, and what has happened on them (docs/statistics.md). */
const percentiles = z
  .strictObject({ count, p50: span.optional(), p95: span.optional(), p99: span.optional() })
  .meta({ id: "Percentiles", description: "Of how many, and the times that 50, 95 and 99 % kept to, ms." });

const figures = {
  submitted: count,
  taken: count,
  completed: count,
  failed: count,
  timedOut: count,
  cancelled: count.meta({ description: "By cancel and by purge-queue." }),
  retried: count.meta({ description: "By retry." }),
  lost: count.meta({ description: "Attempts whose worker was lost." }),
  delay: percentiles.meta({ description: "From the last queueing to the hand-out." }),
  execution: percentiles.meta({ description: "From the hand-out to the end." }),
};

const FIGURES = {
  submitted: 120,
  taken: 118,
  completed: 110,
  failed: 3,
  timedOut: 1,
  cancelled: 2,
  retried: 1,
  lost: 0,
  delay: { count: 118, p50: 3, p95: 40, p99: 92 },
  execution: { count: 114, p50: 480, p95: 920, p99: 1_300 },
};

const now = z
  .strictObject({
    inQueue: count,
    inProgress: count,
    oldestMs: span.optional().meta({ description: "How long the job at the front has waited." }),
    workers: workerCounts,
    waits: waitReason.optional().meta({ description: "Why jobs wait, or would wait if one came." }),
  })
  .meta({ id: "EndpointNow", description: "The current state of an endpoint." });

const NOW = {
  inQueue: 4,
  inProgress: 2,
  oldestMs: 1_250,
  workers: { idle: 0, running: 2, ready: 0, initializing: 1, throttled: 0, unhealthy: 0 },
};

const total = z
  .strictObject(figures)
  .meta({ id: "Figures", description: "What has happened within a time." });

const point = z.strictObject({ at: moment, ...figures, inQueue: count, inProgress: count }).meta({
  id: "StatisticsPoint",
  description: "What has happened in one slot; the queue is that of its end.",
});

const period = z.literal(PERIODS);

export const STATISTICS = {
  schema: z
    .strictObject({
      endpointId: id,
      period,
      step: span.meta({ description: "The length of a slot." }),
      from: moment,
      to: moment,
      now,
      total,
      points: z.array(point).meta({ description: "The slots in which something has happened, in order." }),
    })
    .meta({ id: "Statistics", description: "The current state of an endpoint, and its statistics." }),
  example: {
    endpointId: "9k2m4x7q1wz3",
    period: "1h",
    step: 10_000,
    from: "2026-08-01T11:00:10.000Z",
    to: "2026-08-01T12:00:04.200Z",
    now: NOW,
    total: FIGURES,
    points: [{ at: "2026-08-01T12:00:00.000Z", ...FIGURES, inQueue: 4, inProgress: 2 }],
  },
};

const summary = z.strictObject({ endpointId: id, name: z.string(), now, total });

export const ALL_STATISTICS = {
  schema: z
    .strictObject({ period, endpoints: z.array(summary) })
    .meta({ id: "AllStatistics", description: "The current state of all endpoints that the key opens." }),
  example: {
    period: "1h",
    endpoints: [{ endpointId: "9k2m4x7q1wz3", name: "chat", now: NOW, total: FIGURES }],
  },
};

type PercentilesAnswer = Answered<typeof percentiles>;
export type FiguresAnswer = Answered<typeof total>;
type NowAnswer = Answered<typeof now>;
export type PointAnswer = Answered<typeof point>;
export type StatisticsAnswer = Answered<typeof STATISTICS.schema>;
export type SummaryAnswer = Answered<typeof summary>;
export type AllStatisticsAnswer = Answered<typeof ALL_STATISTICS.schema>;

/** The statistics of an endpoint, with its slots. */
export function presentStatistics(statistics: EndpointStatistics, access: Access): Shown<StatisticsAnswer> {
  const points = [...statistics.points].map(([at, figures]) => presentPoint({ at, figures }));
  return { ...presentSum(statistics, access), points };
}

/** The same without its slots. */
export function presentSum(
  statistics: EndpointStatistics,
  access: Access,
): Shown<Omit<StatisticsAnswer, "points">> {
  const { endpoint, period, step, from, to, total } = statistics;
  return {
    endpointId: endpoint,
    period,
    step,
    from: dateText(from),
    to: dateText(to),
    now: presentNow(statistics, access),
    total: presentFigures(total),
  };
}

/** One of many. */
export function presentSummary(
  { id, name }: Pick<Endpoint, "id" | "name">,
  statistics: EndpointStatistics,
  access: Access,
): Shown<SummaryAnswer> {
  return {
    endpointId: id,
    name,
    now: presentNow(statistics, access),
    total: presentFigures(statistics.total),
  };
}

export function presentPoint({ at, figures }: EndpointStatistics["point"]): Shown<PointAnswer> {
  const { inQueue = 0, inProgress = 0 } = figures.queue ?? {};
  return { at: dateText(at), ...presentFigures(figures), inQueue, inProgress };
}

function presentNow({ now }: EndpointStatistics, access: Access): Shown<NowAnswer> {
  const { inQueue, inProgress, oldest, workers, waits } = now;
  return {
    inQueue,
    inProgress,
    oldestMs: oldest,
    workers: presentWorkerCounts(workers),
    waits: waits && presentReason(waits, access),
  };
}

function presentFigures({ counts, delay, execution }: Figures): Shown<FiguresAnswer> {
  const { submitted, taken, completed, failed, timedOut, cancelled, retried, lost } = counts;
  const counted = { submitted, taken, completed, failed, timedOut, cancelled, retried, lost };
  return { ...counted, delay: presentHistogram(delay), execution: presentHistogram(execution) };
}

function presentHistogram(histogram: Histogram): Shown<PercentilesAnswer> {
  return {
    count: countOf(histogram),
    p50: quantile(histogram, 0.5),
    p95: quantile(histogram, 0.95),
    p99: quantile(histogram, 0.99),
  };
}
