import { addFigures, figuresText, parseFigures } from "../../../domain/figures.ts";
import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteAddStatistics({ database, counters }: Tables): StepRunner<"addStatistics"> {
  const select = prepare<{ figures: string }, [endpoint: string, width: number, at: number, server: string]>(
    database,
    "SELECT figures FROM statistics WHERE endpoint = ?1 AND width = ?2 AND at = ?3 AND server = ?4",
  );
  const write = prepare<never, [endpoint: string, width: number, at: number, server: string, text: string]>(
    database,
    "INSERT OR REPLACE INTO statistics (endpoint, width, at, server, figures) VALUES (?1, ?2, ?3, ?4, ?5)",
  );

  return ({ server, slots }) => {
    const present = slots.filter(({ endpoint }) => counters.has(endpoint));
    for (const { endpoint, width, at, figures } of present) {
      const before = select.get(endpoint, width, at, server);
      if (before === null) write.run(endpoint, width, at, server, figuresText(figures));
      else {
        const sum = parseFigures(before.figures);
        addFigures(sum, figures);
        write.run(endpoint, width, at, server, figuresText(sum));
      }
    }
    return { count: present.length };
  };
}

export function sqliteForgetStatistics({ database }: Tables): StepRunner<"forgetStatistics"> {
  const remove = prepare<never, [width: number, before: number, limit: number]>(
    database,
    `DELETE FROM statistics WHERE (endpoint, width, at, server) IN (
       SELECT endpoint, width, at, server FROM statistics
       WHERE width = cast(?1 AS INTEGER) AND at < ?2 LIMIT cast(?3 AS INTEGER))`,
  );

  return ({ width, before, limit }) => ({ count: remove.run(width, before, limit).changes });
}
