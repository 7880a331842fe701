import { dueAt } from "../../../domain/deadlines.ts";
import { isTerminal } from "../../../domain/transitions.ts";
import { prepare } from "../sqlite-driver.ts";
import type { JobRow } from "../sqlite-job-row.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";

export function sqliteSetTtl(tables: Tables): StepRunner<"setTtl"> {
  const { find } = sqliteWholeJobs(tables);
  const setDue = prepare<never, [seq: number, due: number]>(
    tables.database,
    "UPDATE job SET due_at = ?2 WHERE seq = ?1",
  );
  const setExpiry = prepare<never, [seq: number, expiresAt: number, due: number]>(
    tables.database,
    "UPDATE job SET expires_at = ?2, due_at = ?3 WHERE seq = ?1",
  );

  return ({ endpoint, id, at }, now) => {
    const row = find(endpoint, id);
    if (row === null || endOf(row) <= now) return { accepted: false };
    if (isTerminal(row.state)) setDue.run(row.seq, Math.min(row.due_at, at));
    else setExpiry.run(row.seq, at, dueWithTtl(row, at));
    return { accepted: true };
  };
}

/** When the job is gone (finished) or timed out (unfinished): nothing revives it after that. */
function endOf(row: JobRow): number {
  return isTerminal(row.state) ? row.due_at : row.expires_at;
}

function dueWithTtl(row: JobRow, expiresAt: number): number {
  if (row.taken_at === null) return expiresAt;
  const deadlines = { executionTimeout: row.execution_timeout, expiresAt };
  if (row.proved === 1) return dueAt.proved(row.taken_at, deadlines);
  const lease = row.lease_ends_at === null ? undefined : row.lease_ends_at - row.taken_at;
  return dueAt.taken(row.taken_at, deadlines, lease);
}
