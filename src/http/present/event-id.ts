import { ForebayError } from "../../domain/errors.ts";
import type { Call } from "../call.ts";

/** A chunk of an attempt. */
export interface ChunkPlace {
  readonly number: number;
  readonly attempt: number;
}

/** The id of the event for the end. */
export const LAST_EVENT = "end";

/**
 * The number of the chunk, then the attempt if it is not the first. Each attempt numbers its chunks from 0,
 * and a reader that reconnects must not continue in the middle of another attempt (decision 0027).
 */
export function eventId({ number, attempt }: ChunkPlace): string {
  return attempt === 1 ? `${number}` : `${number}-${attempt}`;
}

/** The last event of the reader, by `Last-Event-ID`; undefined without the header. Throws INVALID_HEADER. */
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
