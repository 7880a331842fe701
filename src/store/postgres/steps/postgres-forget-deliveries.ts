import { fileOf } from "../postgres-payload-columns.ts";
import { dropPayloads } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

/** Skips what another server forgets at the same time. */
const REMOVE = `
  WITH over AS MATERIALIZED (
    SELECT endpoint, id FROM forebay.delivery
    WHERE state <> 'PENDING' AND due_at <= $1
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM forebay.delivery USING over
  WHERE delivery.endpoint = over.endpoint AND delivery.id = over.id
  RETURNING delivery.output_ref, delivery.error_ref`;

export const postgresForgetDeliveries: LoneStepRunner<"forgetDeliveries"> = async (
  { limit },
  now,
  _unit,
  connection,
) => {
  const rows = await connection.query<{ output_ref: string | null; error_ref: string | null }>(REMOVE, [
    now,
    limit,
  ]);
  const refs = rows.flatMap((row) => [row.output_ref, row.error_ref]);
  await dropPayloads(connection, refs.filter((ref) => ref !== null).map(fileOf));
  return { count: rows.length };
};
