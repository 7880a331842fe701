import { ForebayError } from "../domain/errors.ts";

/** The body has a length that is not one number. The connection is closed, as RFC 9112 (6.3) says. */
export class InvalidLength extends ForebayError {
  readonly headers: Readonly<Record<string, string>> = { connection: "close" };

  constructor() {
    super("INVALID_HEADER", "Content-Length is invalid. Send it once, as a decimal number of bytes.");
  }
}

/** More digits than any body needs, and few enough for an exact number. */
const LENGTH = /^[0-9]{1,15}$/;

/**
 * The length of the body in bytes, as its header says it; undefined without the header. The runtime joins
 * equal headers ("2, 2") and passes them on, so the text is not a number until it has been checked. Throws
 * INVALID_HEADER.
 */
export function announcedLength({ headers }: Request): number | undefined {
  const text = headers.get("content-length");
  if (text === null) return undefined;
  if (!LENGTH.test(text)) throw new InvalidLength();
  return Number(text);
}
