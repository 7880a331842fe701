import {
  CLAIM_COLUMNS,
  postgresClaimedOf,
  type PostgresClaimRow,
  DELIVERY_COLUMNS,
} from "../postgres-delivery-row.ts";
import { array } from "../postgres-driver.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

/**
 * From one receiver to the next along the index: one with a great many deliveries costs no more than others.
 * Skips what another server claims at the same time.
 */
const CLAIM = `
  WITH RECURSIVE room AS MATERIALIZED (
    SELECT * FROM unnest($3::text[], $4::integer[]) AS room (receiver, count)
  ), receivers AS (
    (SELECT receiver FROM forebay.delivery WHERE state = 'PENDING' ORDER BY receiver LIMIT 1)
    UNION ALL
    SELECT (
      SELECT delivery.receiver FROM forebay.delivery
      WHERE state = 'PENDING' AND delivery.receiver > receivers.receiver
      ORDER BY delivery.receiver LIMIT 1
    )
    FROM receivers WHERE receivers.receiver IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT found.* FROM receivers
      LEFT JOIN room ON room.receiver = receivers.receiver
      CROSS JOIN LATERAL (
        SELECT endpoint, id, due_at, size FROM forebay.delivery
        WHERE state = 'PENDING' AND delivery.receiver = receivers.receiver AND due_at <= $1
        ORDER BY due_at LIMIT coalesce(room.count, $2) FOR UPDATE OF delivery SKIP LOCKED
      ) AS found
  ), chosen AS MATERIALIZED (
    SELECT endpoint, id, due_at FROM (
      SELECT *, sum(size) OVER (ORDER BY due_at, endpoint, id) - size AS before FROM due
    ) AS ordered
    WHERE before < $6 ORDER BY due_at LIMIT $5
  )
  UPDATE forebay.delivery SET owner = $7, due_at = $8, started = started + 1
  FROM chosen WHERE delivery.endpoint = chosen.endpoint AND delivery.id = chosen.id
  RETURNING ${DELIVERY_COLUMNS}, ${CLAIM_COLUMNS}, chosen.due_at::float8 AS was_due_at`;

export const postgresClaimDeliveries: LoneStepRunner<"claimDeliveries"> = async (
  { owner, until, limit, byteLimit, each, room },
  now,
  _unit,
  connection,
) => {
  if (limit < 1) return [];
  const receivers = array(
    room.map(({ receiver }) => receiver),
    "text",
  );
  const counts = array(
    room.map(({ count }) => Math.max(0, count)),
    "integer",
  );
  const bytes = Math.min(byteLimit, Number.MAX_SAFE_INTEGER);
  const parameters = [now, each, receivers, counts, limit, bytes, owner, until];
  const rows = await connection.query<PostgresClaimRow>(CLAIM, parameters);
  return rows.map(postgresClaimedOf).toSorted((a, b) => a.dueAt - b.dueAt);
};
