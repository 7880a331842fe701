import { deliveryId } from "../../domain/delivery.ts";
import { array, type ElementType, type Parameter } from "./postgres-driver.ts";
import type { JobRow } from "./postgres-job-row.ts";
import { payloadOf } from "./postgres-payload-columns.ts";
import { sizeOf } from "../../domain/payload.ts";

/** The columns that are written with the end of the job, and what arrays of them are made of. */
const COLUMNS = {
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
} as const satisfies Record<string, ElementType>;

const NAMES = Object.keys(COLUMNS).join(", ");
const ARRAYS = Object.values(COLUMNS).map((type, index) => `$${index + 1}::${type}[]`);

/** Takes what `newDeliveryColumns` makes. */
export const ADD_DELIVERIES = `
  INSERT INTO forebay.delivery (${NAMES}) SELECT * FROM unnest(${ARRAYS.join(", ")})`;

export type NewDelivery = Readonly<
  Record<keyof typeof COLUMNS, string | number | Uint8Array | null> & { id: string }
>;

/** The webhook of a job that has just ended, with its record; undefined when it has none. */
export function newDelivery(ended: JobRow): NewDelivery | undefined {
  const { endpoint, receiver, webhook, ended_at, output = null, error = null } = ended;
  if (receiver === null || webhook === null || ended_at === null) return undefined;
  const parts = [payloadOf(output, ended.output_ref), payloadOf(error, ended.error_ref)];
  return {
    endpoint,
    id: deliveryId(ended_at, ended.position, ended.id),
    receiver,
    webhook,
    due_at: ended_at,
    job: ended.id,
    job_state: ended.state,
    queued_at: ended.queued_at,
    taken_at: ended.taken_at,
    ended_at,
    worker: ended.worker,
    losses: ended.losses,
    output_ref: ended.output_ref,
    error_ref: ended.error_ref,
    output,
    error,
    size: parts.reduce((sum, part) => sum + (part === undefined ? 0 : sizeOf(part)), 0),
  };
}

export function newDeliveryColumns(deliveries: readonly NewDelivery[]): Parameter[] {
  return Object.entries(COLUMNS).map(([column, type]) =>
    array(
      // The entries of the table are the columns of a row.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      deliveries.map((delivery) => delivery[column as keyof typeof COLUMNS]),
      type,
    ),
  );
}
