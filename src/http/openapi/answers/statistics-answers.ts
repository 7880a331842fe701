import { z } from "zod";
import { STATISTICS_PERIODS } from "../../../domain/statistics.ts";
import { count, id, moment, span } from "./words.ts";

/** The answers about what has happened on endpoints (docs/statistics.md). */
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
    workers: z.strictObject({
      idle: count,
      running: count,
      ready: count,
      initializing: count,
      throttled: count,
      unhealthy: count,
    }),
  })
  .meta({ id: "EndpointNow", description: "How it is with an endpoint now." });

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

const period = z.literal(Object.keys(STATISTICS_PERIODS));

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
    .meta({ id: "Statistics", description: "How it is with an endpoint, and what has happened on it." }),
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

export const ALL_STATISTICS = {
  schema: z
    .strictObject({
      period,
      endpoints: z.array(z.strictObject({ endpointId: id, name: z.string(), now, total })),
    })
    .meta({ id: "AllStatistics", description: "How it is with all endpoints that the key opens." }),
  example: {
    period: "1h",
    endpoints: [{ endpointId: "9k2m4x7q1wz3", name: "chat", now: NOW, total: FIGURES }],
  },
};
