import type { LoneStepRunner } from "../postgres-step.ts";

/** Skips what another server forgets at the same time. */
const REMOVE = `
  DELETE FROM forebay.statistics WHERE (endpoint, width, at, server) IN (
    SELECT endpoint, width, at, server FROM forebay.statistics
    WHERE width = $1 AND at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING at`;

export const postgresForgetStatistics: LoneStepRunner<"forgetStatistics"> = async (
  { width, before, limit },
  _now,
  _unit,
  connection,
) => {
  const rows = await connection.query(REMOVE, [width, before, limit]);
  return { count: rows.length };
};
