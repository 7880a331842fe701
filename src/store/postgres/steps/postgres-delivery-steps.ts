import { array, givenRows } from "../postgres-arrays.ts";
import {
  CLAIM_COLUMNS,
  DELIVERY_COLUMNS,
  postgresClaimedOf,
  type PostgresClaimRow,
} from "../postgres-deliveries.ts";
import { fileOf } from "../postgres-payload-columns.ts";
import { dropPayloads } from "../postgres-remove-jobs.ts";
import type { LoneStepRunner } from "../postgres-transaction.ts";

const ROOM = givenRows({ receiver: "text", count: "integer" }, 3);

/**
 * From one receiver to the next along the index: one with a great many deliveries costs no more than others.
 * Skips what another server claims at the same time.
 */
const CLAIM = `
  WITH RECURSIVE room AS MATERIALIZED (
    SELECT * FROM ${ROOM.source} AS room (${ROOM.names})
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
  _transaction,
  connection,
) => {
  if (limit < 1) return [];
  const counts = room.map(({ receiver, count }) => ({ receiver, count: Math.max(0, count) }));
  const bytes = Math.min(byteLimit, Number.MAX_SAFE_INTEGER);
  const parameters = [now, each, ...ROOM.arrays(counts), limit, bytes, owner, until];
  const rows = await connection.query<PostgresClaimRow>(CLAIM, parameters);
  return rows.map(postgresClaimedOf).toSorted((a, b) => a.dueAt - b.dueAt);
};

const OUTCOMES = givenRows({
  endpoint: "text",
  id: "text",
  started: "integer",
  state: "text",
  due_at: "bigint",
  attempts: "integer",
  tried_at: "bigint",
  status: "integer",
  reason: "text",
});

const RECORD = `
  UPDATE forebay.delivery
  SET state = given.state, due_at = given.due_at, owner = NULL, attempts = given.attempts,
      tried_at = given.tried_at, status = given.status, reason = given.reason
  FROM ${OUTCOMES.source} AS given (${OUTCOMES.names})
  WHERE delivery.endpoint = given.endpoint AND delivery.id = given.id AND delivery.state = 'PENDING'
    AND delivery.owner = $10 AND delivery.started = given.started
  RETURNING delivery.id`;

export const postgresRecordDeliveries: LoneStepRunner<"recordDeliveries"> = async (
  { owner, outcomes },
  _now,
  _transaction,
  connection,
) => {
  if (outcomes.length === 0) return { count: 0 };
  const given = outcomes.map((outcome) => {
    const { endpoint, id, started, state, dueAt, attempts, last } = outcome;
    const tried = { tried_at: last.at, status: last.status, reason: last.reason };
    return { endpoint, id, started, state, due_at: dueAt, attempts, ...tried };
  });
  const rows = await connection.query(RECORD, [...OUTCOMES.arrays(given), owner]);
  return { count: rows.length };
};

const RELEASE = "UPDATE forebay.delivery SET owner = NULL, due_at = $2 WHERE owner = $1 RETURNING id";

const REDELIVER = `
  UPDATE forebay.delivery
  SET attempts = CASE state WHEN 'PENDING' THEN attempts ELSE 0 END,
      started = CASE state WHEN 'PENDING' THEN started ELSE 0 END, state = 'PENDING', due_at = $3
  WHERE endpoint = $1 AND id = ANY($2::text[]) AND owner IS NULL
  RETURNING id`;

export const postgresReleaseDeliveries: LoneStepRunner<"releaseDeliveries"> = async (
  { owner },
  now,
  _transaction,
  connection,
) => ({ count: (await connection.query(RELEASE, [owner, now])).length });

export const postgresRedeliver: LoneStepRunner<"redeliver"> = async (
  { endpoint, ids },
  now,
  transaction,
  connection,
) => {
  const rows = await connection.query<{ id: string }>(REDELIVER, [endpoint, array(ids), now]);
  for (const { id } of rows) transaction.signal("deliver", endpoint, id, undefined);
  return { count: rows.length };
};

/** Skips what another server forgets at the same time. */
const FORGET = `
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
  _transaction,
  connection,
) => {
  const rows = await connection.query<{ output_ref: string | null; error_ref: string | null }>(FORGET, [
    now,
    limit,
  ]);
  const refs = rows.flatMap((row) => [row.output_ref, row.error_ref]);
  await dropPayloads(connection, refs.filter((ref) => ref !== null).map(fileOf));
  return { count: rows.length };
};
