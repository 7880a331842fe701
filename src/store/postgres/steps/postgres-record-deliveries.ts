import { array, type ElementType } from "../postgres-driver.ts";
import type { LoneStepRunner } from "../postgres-step.ts";
import type { DeliveryOutcome } from "../../delivery-steps.ts";

const RECORD = `
  UPDATE forebay.delivery
  SET state = given.state, due_at = given.due_at, owner = NULL, attempts = given.attempts,
      tried_at = given.tried_at, status = given.status, reason = given.reason
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::bigint[], $6::integer[], $7::bigint[],
              $8::integer[], $9::text[])
    AS given (endpoint, id, started, state, due_at, attempts, tried_at, status, reason)
  WHERE delivery.endpoint = given.endpoint AND delivery.id = given.id AND delivery.state = 'PENDING'
    AND delivery.owner = $10 AND delivery.started = given.started
  RETURNING delivery.id`;

export const postgresRecordDeliveries: LoneStepRunner<"recordDeliveries"> = async (
  { owner, outcomes },
  _now,
  _unit,
  connection,
) => {
  if (outcomes.length === 0) return { count: 0 };
  const column = (type: ElementType, of: (outcome: DeliveryOutcome) => string | number | undefined) =>
    array(
      outcomes.map((outcome) => of(outcome) ?? null),
      type,
    );
  const rows = await connection.query(RECORD, [
    column("text", ({ endpoint }) => endpoint),
    column("text", ({ id }) => id),
    column("integer", ({ started }) => started),
    column("text", ({ state }) => state),
    column("bigint", ({ dueAt }) => dueAt),
    column("integer", ({ attempts }) => attempts),
    column("bigint", ({ last }) => last.at),
    column("integer", ({ last }) => last.status),
    column("text", ({ last }) => last.reason),
    owner,
  ]);
  return { count: rows.length };
};
