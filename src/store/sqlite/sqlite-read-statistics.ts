import { parseFigures } from "../../domain/figures.ts";
import type { Store } from "../store.ts";
import { prepare } from "./sqlite-driver.ts";
import type { Tables } from "./sqlite-tables.ts";

/** Reads statistics. */
export function sqliteReadStatistics({ database }: Tables): Pick<Store, "statistics" | "fronts"> {
  const select = prepare<{ at: number; figures: string }, [endpoint: string, width: number, from: number]>(
    database,
    `SELECT at, figures FROM statistics
     WHERE endpoint = cast(?1 AS TEXT) AND width = cast(?2 AS INTEGER) AND at >= ?3 ORDER BY at`,
  );
  const selectFront = prepare<{ queuedAt: number }, [endpoint: string]>(
    database,
    `SELECT queued_at AS queuedAt FROM job
     WHERE endpoint = cast(?1 AS TEXT) AND holder = '' ORDER BY position LIMIT 1`,
  );

  return {
    async statistics(endpoint, width, from) {
      const rows = select.all(endpoint, width, from);
      return rows.map(({ at, figures }) => ({ endpoint, width, at, figures: parseFigures(figures) }));
    },

    async fronts(endpoints) {
      const fronts = new Map<string, number>();
      for (const endpoint of endpoints) {
        const front = selectFront.get(endpoint);
        if (front !== null) fronts.set(endpoint, front.queuedAt);
      }
      return fronts;
    },
  };
}
