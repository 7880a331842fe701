import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";
import { ErrorWithHeaders } from "./errors-with-headers.ts";

/** More digits than any body needs, and few enough for an exact number. */
const LENGTH = /^[0-9]{1,15}$/;

/**
 * The length of the body in bytes by its header; undefined without the header. The runtime joins equal
 * headers ("2, 2") and passes them on, so the text must be checked. Throws INVALID_HEADER. The answer then
 * closes the connection, as RFC 9112 (6.3) says.
 */
export function announcedLength({ headers }: Request): number | undefined {
  const text = headers.get("content-length");
  if (text === null) return undefined;
  if (!LENGTH.test(text)) throw invalidLength();
  return Number(text);
}

function invalidLength(): ForebayError {
  const sentence = "Content-Length is invalid. Send it once, as a decimal number of bytes.";
  return new ErrorWithHeaders("INVALID_HEADER", sentence, { connection: "close" });
}

/**
 * Bodies are read as JSON with any content type, so that `curl -d` works as typed. But a call without a key
 * must declare JSON: it signs in, or has the session of the console. A page elsewhere can make a browser send
 * a form or text, but not JSON (threat T15).
 */
export function requireJson(call: Call): void {
  const { headers } = call.request;
  const given = headers.get("content-type");
  if (given === null || given === JSON_TYPE || (headers.get("authorization") ?? "") !== "") return;
  const [type, ...parameters] = given.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if ((type === JSON_TYPE || type?.endsWith("+json")) && isUtf8) return;
  throw new ForebayError(
    "MEDIA_TYPE_NOT_SUPPORTED",
    `The body is sent as ${given}. To call without a key in the Authorization header, send JSON with the ` +
      "header content-type: application/json.",
  );
}

const JSON_TYPE = "application/json";
