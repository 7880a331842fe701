import { ForebayError, PayloadDamaged } from "../domain/errors.ts";
import type { Payload } from "../domain/payload.ts";

/** A payload that a row names, and what it is of. */
export interface NamedPayload {
  readonly endpoint: string;
  readonly job: string;
  /** Such as `the output`. */
  readonly what: string;
  readonly payload: Payload;
}

/** What is damaged in a store. */
export interface Damage {
  /** What of which job; undefined when it is not known. */
  readonly of: Omit<NamedPayload, "payload"> | undefined;
  /** Which file or row, and what is wrong with it. */
  readonly where: string;
}

/**
 * Reads all payloads, one after the other, and tells of those that are damaged. Jobs may end and go
 * meanwhile.
 */
export async function* damagedPayloads(
  named: AsyncIterable<NamedPayload>,
  read: (payload: Payload) => Promise<Uint8Array>,
): AsyncGenerator<Damage> {
  for await (const { payload, ...of } of named) {
    try {
      await read(payload);
    } catch (error) {
      if (error instanceof PayloadDamaged) yield { of, where: error.where };
      else if (!(error instanceof ForebayError) || error.code !== "JOB_NOT_FOUND") throw error;
    }
  }
}

/** The payloads of a row, by their names. */
export function* payloadsOf(
  row: { readonly endpoint: string; readonly job: string },
  payloads: Readonly<Record<string, Payload | undefined>>,
): Generator<NamedPayload> {
  for (const [what, payload] of Object.entries(payloads)) {
    if (payload !== undefined) yield { endpoint: row.endpoint, job: row.job, what, payload };
  }
}
