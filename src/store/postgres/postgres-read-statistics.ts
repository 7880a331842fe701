import { parseFigures } from "../../domain/figures.ts";
import type { Store } from "../store.ts";
import { array, type Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";

const SELECT = `
  SELECT at::float8 AS at, figures FROM forebay.statistics
  WHERE endpoint = $1 AND width = $2 AND at >= $3 ORDER BY statistics.at`;

const SELECT_FRONTS = `
  SELECT asked.endpoint, front.queued_at::float8 AS "queuedAt"
  FROM unnest($1::text[]) AS asked (endpoint) CROSS JOIN LATERAL (
    SELECT queued_at FROM forebay.job
    WHERE job.endpoint = asked.endpoint AND job.holder = '' ORDER BY job.position LIMIT 1
  ) AS front`;

/** The reads of what statistics tell. */
export function postgresReadStatistics(pool: Pool): Pick<Store, "statistics" | "fronts"> {
  return {
    async statistics(endpoint, width, from) {
      const reading = pool.query<{ at: number; figures: string }>(SELECT, [endpoint, width, from]);
      const rows = await orUnavailable(reading);
      return rows.map(({ at, figures }) => ({ endpoint, width, at, figures: parseFigures(figures) }));
    },

    async fronts(endpoints) {
      const reading = pool.query<{ endpoint: string; queuedAt: number }>(SELECT_FRONTS, [
        array(endpoints, "text"),
      ]);
      const rows = await orUnavailable(reading);
      return new Map(rows.map(({ endpoint, queuedAt }) => [endpoint, queuedAt]));
    },
  };
}
