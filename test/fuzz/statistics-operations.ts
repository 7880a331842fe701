import { z } from "zod";
import { operation, type QueryRule } from "./operation.ts";
import { WAIT_REASON } from "./timeline-shape.ts";

const period: QueryRule = {
  valid: ["15m", "1h", "24h", "7d", "30d"],
  wrong: ["", "1m", "60m", "1H", "30", "null", "toString", "__proto__"],
};

const id = z.string().regex(/^[A-Za-z0-9_-]+$/);
const count = z.int().min(0);
const percentiles = z.union([
  z.strictObject({ count: z.literal(0) }),
  z.strictObject({ count: z.int().min(1), p50: count, p95: count, p99: count }),
]);
const figures = {
  submitted: count,
  taken: count,
  completed: count,
  failed: count,
  timedOut: count,
  cancelled: count,
  retried: count,
  lost: count,
  delay: percentiles,
  execution: percentiles,
};
const workers = z.strictObject({
  idle: count,
  initializing: count,
  ready: count,
  running: count,
  throttled: count,
  unhealthy: count,
});
const now = z.strictObject({
  inQueue: count,
  inProgress: count,
  oldestMs: count.optional(),
  workers,
  waits: WAIT_REASON.optional(),
});
const periods = z.enum(["15m", "1h", "24h", "7d", "30d"]);

/** docs/statistics.md. */
export const STATISTICS_OPERATIONS = {
  endpointStatistics: operation(
    {
      name: "read what has happened on an endpoint",
      path: "/v1/endpoints/{endpoint}/statistics",
      query: { period },
    },
    z.strictObject({
      endpointId: id,
      period: periods,
      step: z.union([z.literal(10_000), z.literal(3_600_000)]),
      from: z.iso.datetime(),
      to: z.iso.datetime(),
      now,
      total: z.strictObject(figures),
      points: z.array(
        z.strictObject({ at: z.iso.datetime(), ...figures, inQueue: count, inProgress: count }),
      ),
    }),
  ),
  statistics: operation(
    { name: "read what has happened on all endpoints", path: "/v1/statistics", query: { period } },
    z.strictObject({
      period: periods,
      endpoints: z.array(
        z.strictObject({ endpointId: id, name: z.string(), now, total: z.strictObject(figures) }),
      ),
    }),
  ),
} as const;
