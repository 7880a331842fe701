import { sizeOfAll } from "../../domain/payload.ts";
import { newDelivery } from "../job-steps/new-delivery.ts";
import { array, type ElementType, type Parameter } from "./postgres-driver.ts";
import type { JobRow } from "./postgres-job-row.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

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
export function newDeliveryRow(ended: JobRow): NewDelivery | undefined {
  const delivery = newDelivery(ended);
  if (delivery === undefined) return undefined;
  const { output = null, error = null, output_ref, error_ref } = ended;
  const parts = [payloadOf(output, output_ref), payloadOf(error, error_ref)];
  const size = sizeOfAll(parts.filter((part) => part !== undefined));
  return { ...delivery, output_ref, error_ref, output, error, size };
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
