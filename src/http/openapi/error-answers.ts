import { type ErrorCode, ERRORS, ForebayError } from "../../domain/errors.ts";
import { openAiErrorText } from "../openai/openai-error.ts";
import type { Operation } from "../operation.ts";

/** Every error code that an operation can answer, in the order of the table of errors. */
export function codesOf(operation: Operation): ErrorCode[] {
  const { path, access: opened, body, passesOverBody = false, query, errors = [] } = operation;
  const codes = new Set<ErrorCode>(["INVALID_HEADER", ...errors]);
  const add = (isSo: boolean, ...more: ErrorCode[]): void => {
    if (isSo) for (const code of more) codes.add(code);
  };
  const isClients = opened !== "anyone" && opened !== "worker";
  // `/readyz` has an answer of its own for it.
  add(path !== "/readyz", "STARTING");
  add(path.includes("{"), "ROUTE_NOT_FOUND");
  add(
    opened !== "anyone",
    "KEY_MISSING",
    "KEY_UNKNOWN",
    "KEY_NOT_ALLOWED",
    "INTERNAL",
    "STORAGE_UNAVAILABLE",
  );
  add(isClients, "RATE_LIMITED", "TOO_MANY_AT_ONCE");
  add(isClients && path.includes("{endpoint}"), "ENDPOINT_NOT_FOUND");
  add(isClients && path.includes("{job}"), "JOB_NOT_FOUND", "PAYLOAD_DAMAGED", "OVERLOADED");
  add(path.includes("/job-take"), "OVERLOADED");
  add(path.includes("{template}"), "TEMPLATE_NOT_FOUND");
  add(path.includes("{registryLogin}"), "REGISTRY_LOGIN_NOT_FOUND");
  add(path.includes("{host}"), "HOST_NOT_FOUND");
  add(path.includes("{delivery}"), "DELIVERY_NOT_FOUND");
  add(path.includes("{key}"), "KEY_NOT_FOUND");
  add(path.includes("{operation}"), "JOB_OPERATION_NOT_FOUND");
  add(query !== undefined, "INVALID_QUERY");
  add(body !== undefined, "MALFORMED_JSON", "INVALID_FIELD", "BODY_TOO_SLOW", "OVERLOADED");
  add(body !== undefined || passesOverBody, "BODY_TOO_LARGE", "MEDIA_TYPE_NOT_SUPPORTED", "INCOMPLETE_BODY");
  return ERROR_CODES.filter((code) => codes.has(code));
}

const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode);

function isErrorCode(code: string): code is ErrorCode {
  return code in ERRORS;
}

/** The shape of every error. */
export const ERROR_SCHEMA = {
  type: "object",
  properties: {
    error: { type: "string", minLength: 1, description: "What was wrong, and what to do." },
    code: { type: "string", enum: ERROR_CODES },
    status: { type: "integer", description: "As in the status line." },
  },
  required: ["error", "code", "status"],
  additionalProperties: false,
} as const;

/** The shape of errors under `/openai`: that of OpenAI, with our members besides if the error is ours. */
export const OPENAI_ERROR_SCHEMA = {
  type: "object",
  description: "An error as the clients of OpenAI read it.",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string", minLength: 1, description: "What was wrong, and what to do." },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "integer", "null"], description: "OpenAI's word where it has one." },
      },
      required: ["message", "type", "param", "code"],
      additionalProperties: false,
    },
    code: { type: "string", enum: ERROR_CODES, description: "Left out where the worker tells the error." },
    status: { type: "integer", description: "As in the status line." },
  },
  required: ["error"],
  additionalProperties: false,
} as const;

/** An example of each error, by its code. */
export function errorExamples(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, { status, meaning }]) => [
      code,
      { summary: meaning, value: { error: meaning, code, status } },
    ]),
  );
}

const RETRY_AFTER = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

/** The error answers of an operation, by status. */
export function errorAnswers(
  codes: readonly ErrorCode[],
  isOpenAi: boolean,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...Map.groupBy(codes, (code) => ERRORS[code].status)].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
        ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
        content: { "application/json": isOpenAi ? ofOpenAi(ofStatus) : ofOurs(status, ofStatus) },
      },
    ]),
  );
}

function ofOurs(status: number, codes: readonly ErrorCode[]): object {
  return {
    schema: {
      allOf: [
        { $ref: "#/components/schemas/Error" },
        { properties: { code: { enum: codes }, status: { const: status } } },
      ],
    },
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
}

function ofOpenAi([code = "INTERNAL"]: readonly ErrorCode[]): object {
  return {
    schema: { $ref: "#/components/schemas/OpenAiError" },
    example: JSON.parse(openAiErrorText(new ForebayError(code, ERRORS[code].meaning))),
  };
}
