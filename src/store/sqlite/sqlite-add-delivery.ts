import type { JobState } from "../../domain/transitions.ts";
import type { JobColumns } from "../job-columns.ts";
import { newDelivery } from "../job-steps/new-delivery.ts";
import { prepare } from "./sqlite-driver.ts";
import type { ResultRow } from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

type Parameters = [
  endpoint: string,
  id: string,
  receiver: string,
  webhook: Uint8Array,
  job: string,
  jobState: JobState,
  queuedAt: number,
  takenAt: number | null,
  endedAt: number,
  due: number,
  worker: string | null,
  losses: number,
  output: PayloadColumn | null,
  error: PayloadColumn | null,
  size: number,
];

/**
 * Writes the delivery of a job that has just ended, if it has a webhook. Payloads that lie outside of rows
 * are not copied: both rows name them.
 */
export function sqliteAddDelivery({
  database,
  payloads,
  signal,
}: Tables): (ended: JobColumns, result: ResultRow) => void {
  const insert = prepare<never, Parameters>(
    database,
    `INSERT INTO delivery (endpoint, id, receiver, webhook, job, job_state, queued_at, taken_at, ended_at,
                           due_at, worker, losses, output, error, size)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)`,
  );

  return (ended, { output, error }) => {
    const row = newDelivery(ended);
    if (row === undefined) return;
    const size =
      (output === null ? 0 : payloads.share(output)) + (error === null ? 0 : payloads.share(error));
    insert.run(
      row.endpoint,
      row.id,
      row.receiver,
      row.webhook,
      row.job,
      row.job_state,
      row.queued_at,
      row.taken_at,
      row.ended_at,
      row.due_at,
      row.worker,
      row.losses,
      output,
      error,
      size,
    );
    signal("deliver", row.endpoint, row.id, undefined);
  };
}
