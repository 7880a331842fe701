import { deliveryId } from "../../domain/delivery.ts";
import type { JobState } from "../../domain/transitions.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

interface EndedRow {
  readonly endpoint: string;
  readonly id: string;
  readonly position: number;
  readonly receiver: string;
  readonly webhook: Uint8Array;
  readonly state: JobState;
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly ended_at: number;
  readonly worker: string | null;
  readonly losses: number;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
}

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
  worker: string | null,
  losses: number,
  output: PayloadColumn | null,
  error: PayloadColumn | null,
  size: number,
];

/**
 * Writes the delivery of a job with a webhook whose row has just become that of an ended one, in the same
 * transaction. Payloads that lie outside of rows are not copied: both rows name them.
 */
export function sqliteOutbox({ database, payloads, signal }: Tables): (seq: number) => void {
  const select = prepare<EndedRow, [seq: number]>(
    database,
    `SELECT endpoint, id, position, receiver, webhook, state, queued_at, taken_at, ended_at, worker, losses,
            output, error
     FROM job WHERE seq = ?1`,
  );
  const insert = prepare<never, Parameters>(
    database,
    `INSERT INTO delivery (endpoint, id, receiver, webhook, job, job_state, queued_at, taken_at, ended_at,
                           due_at, worker, losses, output, error, size)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13, ?14)`,
  );

  return (seq) => {
    const row = select.get(seq);
    if (row === null) throw new Error(`job ${seq} has ended and is not there`);
    const { endpoint, receiver, webhook, output, error } = row;
    const id = deliveryId(row.ended_at, row.position, row.id);
    const size =
      (output === null ? 0 : payloads.share(output)) + (error === null ? 0 : payloads.share(error));
    insert.run(
      endpoint,
      id,
      receiver,
      webhook,
      row.id,
      row.state,
      row.queued_at,
      row.taken_at,
      row.ended_at,
      row.worker,
      row.losses,
      output,
      error,
      size,
    );
    signal("deliver", endpoint, id, undefined);
  };
}
