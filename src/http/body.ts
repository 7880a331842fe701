import { ForebayError } from "../domain/errors.ts";
import type { Call } from "./call.ts";

/** The spec's MB (design, row 15). */
export const MB = 1_048_576;

/** Bodies from here on may take longer than the connection may be still. */
const LARGE_BODY = 65_536;

/**
 * The whole body, by counted bytes at most `limit`. Throws BODY_TOO_LARGE, INCOMPLETE_BODY and
 * MEDIA_TYPE_NOT_SUPPORTED.
 */
export async function readBody(call: Call, limit: number): Promise<Uint8Array> {
  const { headers } = call.request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new ForebayError(
      "MEDIA_TYPE_NOT_SUPPORTED",
      `The body is sent as ${encoding}. Send it without compression.`,
    );
  }
  const announced = headers.get("content-length");
  if (announced === null) return readCounted(call, limit);
  const length = Number(announced);
  if (length > limit) throw tooLarge(limit);
  if (length > LARGE_BODY) call.allowSilence(255);
  try {
    return await call.request.bytes();
  } catch (error) {
    throw incomplete(error);
  }
}

/**
 * For routes that take no body: what is sent all the same is read to its end and not looked at, because a
 * request that was cut off asks for nothing. Throws as `readBody` does.
 */
export async function passOverBody(call: Call): Promise<void> {
  await readBody(call, MB);
}

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

/** A body of unannounced length, read piece by piece. */
async function readCounted(call: Call, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  call.allowSilence(255);
  try {
    for await (const piece of call.request.body ?? []) {
      length += piece.length;
      if (length > limit) throw tooLarge(limit);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof ForebayError ? error : incomplete(error);
  }
  return Buffer.concat(pieces);
}

function tooLarge(limit: number): ForebayError {
  return new ForebayError(
    "BODY_TOO_LARGE",
    `The body is larger than the ${limit} bytes that this path takes.`,
  );
}

function incomplete(cause: unknown): ForebayError {
  const error = new ForebayError(
    "INCOMPLETE_BODY",
    "The connection ended before the whole body had arrived.",
  );
  error.cause = cause;
  return error;
}
