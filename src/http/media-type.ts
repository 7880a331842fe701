import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";

/** Client routes take JSON only; a missing content type counts as JSON (design, row 15). */
export function requireJson(call: Call): void {
  const given = call.request.headers.get("content-type");
  if (given === null || given === "application/json") return;
  const [type, ...parameters] = given.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if ((type === "application/json" || type?.endsWith("+json")) && isUtf8) return;
  throw new ForebayError(
    "MEDIA_TYPE_NOT_SUPPORTED",
    `The body is sent as ${given}. Send JSON in UTF-8 with the header content-type: application/json.`,
  );
}

/** Nothing is unpacked: a few kilobytes can stand for gigabytes. */
export function refuseCompressed(call: Call): void {
  const encoding = call.request.headers.get("content-encoding");
  if (encoding === null || encoding === "identity") return;
  throw new ForebayError(
    "MEDIA_TYPE_NOT_SUPPORTED",
    `The body is sent as ${encoding}. Send it without compression.`,
  );
}
