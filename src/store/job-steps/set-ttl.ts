import { dueAt } from "../../domain/job-times.ts";
import { isTerminal } from "../../domain/transitions.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const setTtl: JobStepRunner<"setTtl"> = ({ endpoint, id, at }, now, transaction) => {
  const row = transaction.find(endpoint, id);
  if (row === undefined || endOf(row) <= now) return { accepted: false };
  if (isTerminal(row.state)) transaction.change(row, { due_at: Math.min(row.due_at, at) });
  else transaction.change(row, { expires_at: at, due_at: dueWithTtl(row, at) });
  return { accepted: true };
};

/** When the job is gone (finished) or timed out (unfinished): nothing revives it after that. */
function endOf(row: JobColumns): number {
  return isTerminal(row.state) ? row.due_at : row.expires_at;
}

function dueWithTtl(row: JobColumns, expiresAt: number): number {
  if (row.taken_at === null) return expiresAt;
  const deadlines = { executionTimeout: row.execution_timeout, expiresAt };
  if (row.proved) return dueAt.proved(row.taken_at, deadlines);
  const lease = row.lease_ends_at === null ? undefined : row.lease_ends_at - row.taken_at;
  return dueAt.taken(row.taken_at, deadlines, lease);
}
