import type { JobState } from "../../domain/transitions.ts";
import { type OpenAiError, typeOf } from "./openai-error.ts";

/** A failure of a call, as the worker or the queue describes it: the answer is an error with a status. */
export class ModelFailure extends Error {
  readonly status: number;
  readonly error: OpenAiError;

  constructor(status: number, error: Partial<OpenAiError> & Pick<OpenAiError, "message">) {
    super(error.message);
    this.status = status;
    const { message, type = typeOf(status), param = null, code = null } = error;
    this.error = { message, type, param, code };
  }

  /** The failure as JSON. */
  get text(): string {
    return JSON.stringify({ error: this.error });
  }
}

/** The failure of a job that ended without a result; `error` is its text. */
export function failureOfJob(state: JobState, error: string): ModelFailure {
  if (state === "CANCELLED") return new ModelFailure(500, { message: "The job was cancelled." });
  const reported = objectIn(error);
  if (reported !== undefined) return failureOf(reported);
  const message = pythonMember(error, "message") ?? error;
  const type = pythonMember(error, "type");
  const own = ownFailure(message);
  if (own !== undefined) return own;
  const code = /['"]code['"]: *([45]\d\d)\b/.exec(error)?.[1];
  return new ModelFailure(statusOf(message, type, Number(code)), { message, ...(type && { type }) });
}

/**
 * The failure in an output, although its job is COMPLETED: `{"object": "error", …}`, as some workers answer,
 * or `{"error": {…}}` alone. Undefined for any other output.
 */
export function failureOfOutput(output: unknown): ModelFailure | undefined {
  if (!isObject(output)) return undefined;
  const { object, error } = output;
  if (object === "error") return failureOf(output);
  return object === undefined && isObject(error) ? failureOf(error) : undefined;
}

/** The failure of the model server, which a worker passes on as `vLLM returned HTTP 404: {"error": …}`. */
function ownFailure(message: string): ModelFailure | undefined {
  const [, status, text = ""] = /^[^{]*\bHTTP ([45]\d\d): (\{.*\})$/s.exec(message) ?? [];
  const reported = objectIn(text);
  return reported && failureOf(reported, Number(status));
}

function failureOf(reported: Record<string, unknown>, knownStatus?: number): ModelFailure {
  const inner = isObject(reported["error"]) ? reported["error"] : reported;
  const message =
    firstText(inner["message"], inner["error_message"], inner["detail"]) ?? JSON.stringify(reported);
  const type = firstText(inner["type"]);
  const { code, param } = inner;
  return new ModelFailure(knownStatus ?? statusOf(message, type, code), {
    message,
    ...(type === undefined ? {} : { type }),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(typeof param === "string" ? { param } : {}),
  });
}

/** The status in the worker's text or error; otherwise the one that fits the type of the error. */
function statusOf(message: string, type: string | undefined, code: unknown): number {
  const reported = Number(/\b(?:HTTP|status(?: code)?) (\d{3})\b/.exec(message)?.[1] ?? code);
  if (Number.isInteger(reported) && reported >= 400 && reported < 600) return reported;
  if (/not_?found/i.test(type ?? "")) return 404;
  return /bad_?request|invalid_?request/i.test(type ?? "") ? 400 : 500;
}

/** A member of a printed Python dictionary: workers of the public SDK report errors like this. */
function pythonMember(text: string, name: string): string | undefined {
  const pattern = new RegExp(
    `^\\{.*?['"]${name}['"]: *(?:'((?:[^'\\\\]|\\\\.)*)'|"((?:[^"\\\\]|\\\\.)*)")`,
    "s",
  );
  const [, single, double] = pattern.exec(text) ?? [];
  return (single ?? double)?.replace(/\\(['"\\n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
