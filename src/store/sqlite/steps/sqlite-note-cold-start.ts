import { sqliteAttempts } from "../sqlite-attempts.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteNoteColdStart(tables: Tables): StepRunner<"noteColdStart"> {
  const { find } = sqliteWholeJobs(tables);
  const attempts = sqliteAttempts(tables.database);

  return ({ endpoint, id, attempt, coldStart }) => {
    const row = find(endpoint, id);
    if (row === null || row.attempt < attempt) return { accepted: false };
    attempts.keepColdStart(row, attempt, coldStart);
    return { accepted: true };
  };
}
