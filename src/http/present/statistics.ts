import type { Endpoint } from "../../domain/endpoint.ts";
import type { Figures } from "../../domain/figures.ts";
import { countOf, type Histogram, quantile } from "../../domain/histogram.ts";
import type { EndpointStatistics } from "../../engine/statistics/endpoint-statistics.ts";
import { presentWorkerCounts } from "./worker-counts.ts";

/** The statistics of an endpoint, without its slots. */
export function presentStatistics(statistics: EndpointStatistics) {
  const { endpoint, period, step, from, to, total } = statistics;
  return {
    endpointId: endpoint,
    period,
    step,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    now: presentNow(statistics),
    total: presentFigures(total),
  };
}

/** One of many. */
export function presentSummary({ id, name }: Endpoint, statistics: EndpointStatistics) {
  return { endpointId: id, name, now: presentNow(statistics), total: presentFigures(statistics.total) };
}

export function presentPoints({ points }: EndpointStatistics): object[] {
  return [...points].map(([at, figures]) => presentPoint({ at, figures }));
}

export function presentPoint({ at, figures }: EndpointStatistics["point"]): object {
  const { inQueue = 0, inProgress = 0 } = figures.queue ?? {};
  return { at: new Date(at).toISOString(), ...presentFigures(figures), inQueue, inProgress };
}

function presentNow({ now }: EndpointStatistics) {
  const { inQueue, inProgress, oldest, workers } = now;
  return { inQueue, inProgress, oldestMs: oldest, workers: presentWorkerCounts(workers) };
}

function presentFigures({ counts, delay, execution }: Figures) {
  const { submitted, taken, completed, failed, timedOut, cancelled, retried, lost } = counts;
  const counted = { submitted, taken, completed, failed, timedOut, cancelled, retried, lost };
  return { ...counted, delay: presentHistogram(delay), execution: presentHistogram(execution) };
}

function presentHistogram(histogram: Histogram) {
  return {
    count: countOf(histogram),
    p50: quantile(histogram, 0.5),
    p95: quantile(histogram, 0.95),
    p99: quantile(histogram, 0.99),
  };
}
