import { ForebayError } from "../../domain/errors.ts";
import type { Call } from "../call.ts";

/** A chunk of an attempt. */
export interface ChunkPlace {
  readonly number: number;
  readonly attempt: number;
}

/** The id of the event that tells the end. */
export const LAST_EVENT = "end";

/**
 * The number of the chunk; behind it the attempt where it is not the first: each numbers from 0 on, and a
 * reader that comes back must not go on in the middle of another one (decision 0027).
 */
export function eventId({ number, attempt }: ChunkPlace): string {
  return attempt === 1 ? `${number}` : `${number}-${attempt}`;
}

/** What the reader has had last, by its `Last-Event-ID`; undefined without one. Throws INVALID_HEADER. */
export function lastEventOf({ request }: Call): ChunkPlace | typeof LAST_EVENT | undefined {
  const given = request.headers.get("last-event-id");
  if (given === null || given === "") return undefined;
  if (given === LAST_EVENT) return LAST_EVENT;
  const [, number, attempt = "1"] = /^([0-9]{1,15})(?:-([0-9]{1,9}))?$/.exec(given) ?? [];
  if (number !== undefined) return { number: Number(number), attempt: Number(attempt) };
  throw new ForebayError(
    "INVALID_HEADER",
    "Last-Event-ID is invalid; must be the id of an event of this stream.",
  );
}
