import { ForebayError } from "../../domain/errors.ts";
import { withTrace } from "../../engine/body-trace.ts";
import { MB, passOverBody, readBody } from "../body.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { callTrace } from "../queue/run.ts";
import { isNull } from "../json/json-node.ts";
import { scanJson } from "../json/json-scan.ts";
import { requireJson } from "../body-headers.ts";
import { methodNotAllowed } from "../errors-with-headers.ts";

/** A call under /openai, and the job that it becomes (wire-facts 4.1). */
export interface OpenAiRequest {
  /** The path after /openai, with its query. */
  readonly route: string;
  /** The JSON object that goes to the worker. */
  readonly body: Uint8Array;
  readonly isStream: boolean;
}

/** The same limit as for runsync (spec 8). */
const BODY_LIMIT = 20 * MB;

/** The characters of model names and OpenAI paths. A slash in a name is escaped. */
export const OPENAI_ROUTE = /^(?:[\w.~:@+,=-]|%2[bf]|%3a|%40)+(?:\/(?:[\w.~:@+,=-]|%2[bf]|%3a|%40)+)*$/i;

/**
 * Reads a call, and calls `use` with the job that it becomes. Throws ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED,
 * MALFORMED_JSON, INVALID_FIELD and what reading a body throws.
 */
export async function withOpenAiRequest<Result>(
  context: HttpContext,
  call: Call,
  use: (request: OpenAiRequest) => Promise<Result>,
): Promise<Result> {
  const [, path = ""] = call.parameters;
  if (!OPENAI_ROUTE.test(path)) {
    throw new ForebayError(
      "ROUTE_NOT_FOUND",
      "The path is not a route of the OpenAI API. Use one such as v1/chat/completions.",
    );
  }
  const trace = callTrace(call);
  const route = `/${path}${call.query === "" ? "" : `?${call.query}`}`;
  if (call.request.method === "GET") {
    if (!/(?:^|\/)models(?:\/|$)/.test(path)) throw methodNotAllowed("GET", ["POST"]);
    await passOverBody(call);
    return use({ route, body: withTrace(bodyOf(route, Buffer.from("{}")), trace), isStream: false });
  }
  requireJson(call);
  using read = await readBody(call, context.bodies.clients, BODY_LIMIT);
  const { bytes } = read;
  const root = await scanJson(bytes, 1, true);
  if (root.type !== "object") throw invalid("The body must be a JSON object.");
  // If a name occurs twice, parsers take the last one.
  const stream = root.children.findLast(({ key }) => key === "stream");
  if (stream !== undefined && stream.type !== "literal") throw invalid("stream must be true or false.");
  const isStream = stream !== undefined && !isNull(bytes, stream) && bytes[stream.start] === TRUE;
  const body = bodyOf(route, bytes.subarray(root.start, root.end));
  return await use({ route, body: withTrace(body, trace), isStream });
}

const TRUE = "t".charCodeAt(0);

/** The submission: the body of the call goes to the worker byte for byte. */
function bodyOf(route: string, input: Uint8Array): Uint8Array {
  const before = `{"input":{"openai_route":${JSON.stringify(route)},"openai_input":`;
  return Buffer.concat([Buffer.from(before), input, Buffer.from("}}")]);
}

function invalid(sentence: string): ForebayError {
  return new ForebayError("INVALID_FIELD", sentence);
}
