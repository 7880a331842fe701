import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";

/**
 * Bodies are read as JSON whatever their content type says, so that `curl -d` works as typed. A call without
 * a key must say that it sends JSON: it signs in, or has the session of the console, and a page elsewhere can
 * make a browser send a form or a text, but no JSON (threat T15).
 */
export function requireJson(call: Call): void {
  const { headers } = call.request;
  const given = headers.get("content-type");
  if ((headers.get("authorization") ?? "") !== "" || given === null || given === "application/json") return;
  const [type, ...parameters] = given.split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if ((type === "application/json" || type?.endsWith("+json")) && isUtf8) return;
  throw new ForebayError(
    "MEDIA_TYPE_NOT_SUPPORTED",
    `The body is sent as ${given}. Without a key in the Authorization header, send JSON in UTF-8 with the ` +
      "header content-type: application/json.",
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
