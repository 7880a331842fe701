import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteForgetStatistics({ database }: Tables): StepRunner<"forgetStatistics"> {
  const remove = prepare<never, [width: number, before: number, limit: number]>(
    database,
    `DELETE FROM statistics WHERE (endpoint, width, at, server) IN (
       SELECT endpoint, width, at, server FROM statistics
       WHERE width = cast(?1 AS INTEGER) AND at < ?2 LIMIT cast(?3 AS INTEGER))`,
  );

  return ({ width, before, limit }) => ({ count: remove.run(width, before, limit).changes });
}
