import { ERROR_CODES } from "./error-answers.ts";

/** The shape of every error. */
const ERROR_SCHEMA = {
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
const OPENAI_ERROR_SCHEMA = {
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

/** The shape of errors of the management API v2: that of RFC 9457, with our members besides. */
const PROBLEM_SCHEMA = {
  type: "object",
  description: "An error as the clients of the public API v2 read it.",
  properties: {
    title: { type: "string" },
    status: { type: "integer", description: "As in the status line." },
    detail: { type: "string", minLength: 1, description: "What was wrong, and what to do." },
    errors: { type: "array", items: { type: "string" }, description: "What is wrong with the request." },
    error: { type: "string", description: "As `detail`." },
    code: { type: "string", enum: ERROR_CODES },
  },
  required: ["title", "status", "detail", "error", "code"],
  additionalProperties: false,
} as const;

/** The schemas of errors, by their names in the document. */
export const ERROR_SCHEMAS = {
  Error: ERROR_SCHEMA,
  OpenAiError: OPENAI_ERROR_SCHEMA,
  Problem: PROBLEM_SCHEMA,
} as const;
