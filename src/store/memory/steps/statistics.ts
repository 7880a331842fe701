import { addFigures, figuresText, parseFigures } from "../../../domain/figures.ts";
import { firstOf } from "../first-of.ts";
import { statisticsKey } from "../memory-database.ts";
import type { MemoryStepRunner } from "../memory-step.ts";

export const addStatistics: MemoryStepRunner<"addStatistics"> = ({ server, slots }, _now, { database }) => {
  const given = slots.filter(({ endpoint }) => database.counters.has(endpoint));
  for (const { endpoint, width, at, figures } of given) {
    const before = database.statistics.get(statisticsKey({ endpoint, width, at, server }));
    const sum = before === undefined ? figures : parseFigures(before.figures);
    if (before !== undefined) addFigures(sum, figures);
    database.statistics.put({ endpoint, width, at, server, figures: figuresText(sum) });
  }
  return { count: given.length };
};

export const forgetStatistics: MemoryStepRunner<"forgetStatistics"> = (step, _now, { database }) => {
  const rows = database.statisticsByTime.ascending(String(step.width));
  const over = firstOf(rows, step.limit, ({ at }) => at < step.before);
  for (const row of over) database.statistics.remove(statisticsKey(row));
  return { count: over.length };
};
