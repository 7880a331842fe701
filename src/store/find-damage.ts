import { ForebayError, PayloadDamaged } from "../domain/errors.ts";
import type { Payload } from "../domain/payload.ts";

/** A payload of a row. */
export interface NamedPayload {
  readonly endpoint: string;
  readonly job: string;
  /** Such as `the output`. */
  readonly what: string;
  readonly payload: Payload;
}

/** Damage in a store. */
export interface Damage {
  /** The part of which job; undefined if it is not known. */
  readonly of: Omit<NamedPayload, "payload"> | undefined;
  /** The file or row, and what is wrong with it. */
  readonly where: string;
}

/**
 * Reads all payloads, one after the other, and reports damaged ones. Jobs may end and be removed meanwhile.
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
