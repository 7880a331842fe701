import type { ClaimedDelivery } from "../../domain/delivery.ts";
import { sizeOfAll } from "../../domain/payload.ts";
import { type ClaimRow, claimedOf } from "../delivery-row.ts";
import { newDelivery } from "../job-steps/new-delivery.ts";
import { type Element, givenRows } from "./postgres-arrays.ts";
import type { JobRow } from "./postgres-job-row.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

/** The columns that make a `Delivery`. */
export const DELIVERY_COLUMNS = `delivery.endpoint, delivery.id, delivery.job, delivery.receiver,
  delivery.state, delivery.job_state, delivery.ended_at::float8 AS ended_at,
  delivery.due_at::float8 AS due_at, delivery.attempts, delivery.started,
  delivery.tried_at::float8 AS tried_at, delivery.status, delivery.reason`;

/** The other columns that an attempt needs. */
export const CLAIM_COLUMNS = `delivery.webhook, delivery.queued_at::float8 AS queued_at,
  delivery.taken_at::float8 AS taken_at, delivery.worker, delivery.losses, delivery.output_ref,
  delivery.error_ref, delivery.output, delivery.error`;

export interface PostgresClaimRow extends ClaimRow {
  readonly output_ref: string | null;
  readonly error_ref: string | null;
  readonly output: Uint8Array | null;
  readonly error: Uint8Array | null;
  /** Before the claim. */
  readonly was_due_at: number;
}

export function postgresClaimedOf(row: PostgresClaimRow): ClaimedDelivery {
  const output = payloadOf(row.output, row.output_ref);
  const error = payloadOf(row.error, row.error_ref);
  return { ...claimedOf(row, { output, error }), dueAt: row.was_due_at };
}

/** The columns that are written with the end of the job. */
const NEW_COLUMNS = {
  endpoint: "text",
  id: "text",
  receiver: "text",
  webhook: "bytea",
  due_at: "bigint",
  job: "text",
  job_state: "text",
  queued_at: "bigint",
  taken_at: "bigint",
  ended_at: "bigint",
  worker: "text",
  losses: "integer",
  output_ref: "text",
  error_ref: "text",
  output: "bytea",
  error: "bytea",
  size: "bigint",
} as const;

export type NewDelivery = Readonly<Record<keyof typeof NEW_COLUMNS, Element> & { id: string }>;

export const NEW_DELIVERIES = givenRows(NEW_COLUMNS);

/** Takes `NEW_DELIVERIES`. */
export const ADD_DELIVERIES = `
  INSERT INTO forebay.delivery (${NEW_DELIVERIES.names}) SELECT * FROM ${NEW_DELIVERIES.source}`;

/** The webhook of a job that has just ended, with its record; undefined when it has none. */
export function newDeliveryRow(ended: JobRow): NewDelivery | undefined {
  const delivery = newDelivery(ended);
  if (delivery === undefined) return undefined;
  const { output = null, error = null, output_ref, error_ref } = ended;
  const parts = [payloadOf(output, output_ref), payloadOf(error, error_ref)];
  const size = sizeOfAll(parts.filter((part) => part !== undefined));
  return { ...delivery, output_ref, error_ref, output, error, size };
}
