import { ForebayError } from "../../domain/errors.ts";
import { MB } from "../body.ts";
import { jsonString } from "../json/json-escape.ts";

/** What a worker says of a job may be somewhat larger than what was submitted. */
export const REPORT_LIMIT = 25 * MB;

/**
 * The error of a job whose worker has said what cannot be kept, and what no repetition would mend: too much,
 * or not such JSON. Throws `error` again where the worker is to send it once more.
 */
export function unkept(what: "result" | "chunk", error: unknown): Uint8Array {
  const isFinal =
    error instanceof ForebayError && (error.code === "MALFORMED_JSON" || error.code === "BODY_TOO_LARGE");
  if (!isFinal) throw error;
  return jsonString(`the ${what} could not be kept: ${error.message}`);
}

export function tooLargeReport(): ForebayError {
  return new ForebayError("BODY_TOO_LARGE", `It is larger than the ${REPORT_LIMIT} bytes that one may have.`);
}
