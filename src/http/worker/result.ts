import { ForebayError } from "../../domain/errors.ts";
import { MB } from "../body.ts";
import { jsonAsString, jsonString } from "../json/json-escape.ts";
import { isNull, type JsonNode, memberOf, spanOf, textOf, valueOf } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";

/** What a worker reports of a job: progress or the result. */
export type WorkerResult =
  | { readonly kind: "progress"; readonly value: Uint8Array }
  | {
      readonly kind: "result";
      readonly output: Uint8Array | undefined;
      /** A JSON string; undefined for success. */
      readonly error: Uint8Array | undefined;
      /** The worker wants to be replaced by a fresh one. */
      readonly wantsReplacement: boolean;
    };

/** Reads the body of job-done (wire-facts 1.5). Throws MALFORMED_JSON. */
export function parseResult(bytes: Uint8Array): WorkerResult | Promise<WorkerResult> {
  const root = scanJson(bytes, 1);
  return root instanceof Promise ? root.then((scanned) => resultOf(bytes, scanned)) : resultOf(bytes, root);
}

function resultOf(bytes: Uint8Array, root: JsonNode): WorkerResult | Promise<WorkerResult> {
  if (root.type !== "object") throw new ForebayError("MALFORMED_JSON", "The result must be a JSON object.");
  const output = memberOf(root, "output");
  const status = memberOf(root, "status");
  // Progress comes on the path of results. Only this member makes the difference (race R14).
  if (status !== undefined && valueOf(bytes, status) === "IN_PROGRESS") {
    return {
      kind: "progress",
      value: output === undefined ? NULL : spanOf(bytes, output),
    };
  }
  const error = errorOf(bytes, memberOf(root, "error"));
  const result = {
    kind: "result" as const,
    output: output && spanOf(bytes, output),
    wantsReplacement: wantsReplacement(bytes, root),
  };
  return error instanceof Promise ? error.then((text) => ({ ...result, error: text })) : { ...result, error };
}

/** Whether a result asks for a fresh worker in place of its own. */
export function wantsReplacement(bytes: Uint8Array, result: JsonNode): boolean {
  const stopPod = memberOf(result, "stopPod");
  return stopPod !== undefined && valueOf(bytes, stopPod) === true;
}

const NULL = new TextEncoder().encode("null");

/**
 * Any JSON is stored as error, and given to clients as a string, because some of them decode nothing else.
 * Null, false, 0 and the empty string are not an error.
 */
export function errorOf(
  bytes: Uint8Array,
  node: JsonNode | undefined,
): Uint8Array | undefined | Promise<Uint8Array> {
  if (node === undefined || isNull(bytes, node)) return undefined;
  const json = spanOf(bytes, node);
  if (node.type === "string") return json.length === '""'.length ? undefined : json;
  if (node.type === "literal" && json[0] === "f".charCodeAt(0)) return undefined;
  if (node.type === "number" && Number(textOf(bytes, node)) === 0) return undefined;
  return jsonAsString(json);
}

/** A report can be somewhat larger than the submission of its job. */
export const REPORT_LIMIT = 25 * MB;

/**
 * The error of a job whose result or chunk cannot be stored, and could not be after a retry either: it is too
 * large, or not JSON. Throws `error` again if the worker should retry.
 */
export function unkept(what: "result" | "chunk", error: unknown): Uint8Array {
  const isFinal =
    error instanceof ForebayError && (error.code === "MALFORMED_JSON" || error.code === "BODY_TOO_LARGE");
  if (!isFinal) throw error;
  return jsonString(`the ${what} could not be kept: ${error.message}`);
}

export function tooLargeReport(): ForebayError {
  return new ForebayError("BODY_TOO_LARGE", `The result is larger than the limit of ${REPORT_LIMIT} bytes.`);
}
