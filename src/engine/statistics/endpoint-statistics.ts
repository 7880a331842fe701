import { addFigures, emptyFigures } from "../../domain/figures.ts";
import {
  type EndpointStatistics,
  firstSlot,
  slotAt,
  STATISTICS_PERIODS,
  type StatisticsPeriod,
} from "../../domain/statistics.ts";
import { health } from "../health.ts";
import { type WaitSight, whyEndpointWaits } from "../why-waits.ts";
import type { WithStatistics } from "./statistics.ts";

/**
 * The figures of the endpoint over the period. Those of other servers are up to 6 s old. Throws
 * ENDPOINT_NOT_FOUND.
 */
export async function endpointStatistics(
  engine: WaitSight & WithStatistics,
  endpoint: string,
  period: StatisticsPeriod,
): Promise<EndpointStatistics> {
  const { length, width } = STATISTICS_PERIODS[period];
  const { counts, workers, live } = await health(engine, endpoint);
  const queuedAt = (await engine.store.fronts([endpoint])).get(endpoint);
  const now = engine.clock.now();
  const from = firstSlot(now, length, width);
  const slots = await engine.statistics.read(endpoint, width, from);
  const total = emptyFigures();
  for (const figures of slots.values()) addFigures(total, figures);
  const filling = slotAt(now, width);
  // The present counts of the queue are newer than its last sample.
  const queue = { at: now, inQueue: counts.queued, inProgress: counts.running };
  const point = { ...(slots.get(filling) ?? emptyFigures()), queue };
  const points = new Map(slots);
  if (slots.has(filling)) points.set(filling, point);
  return {
    endpoint,
    period,
    step: width,
    from,
    to: now,
    now: {
      inQueue: counts.queued,
      inProgress: counts.running,
      oldest: queuedAt === undefined ? undefined : Math.max(0, now - queuedAt),
      workers,
      waits: whyEndpointWaits(engine, endpoint, { live, waiting: counts.queued }),
    },
    total,
    points,
    point: { at: filling, figures: point },
  };
}
