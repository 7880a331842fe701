import { type ErrorCode, ERRORS, type ForebayError } from "../domain/errors.ts";
import { isProblemPath, PROBLEM_TYPE, problemStatus, problemText } from "./manage-v2/problem.ts";
import { isOpenAiPath, openAiErrorText } from "./openai/openai-error.ts";
import { JSON_TYPE } from "./reply.ts";

/** How the errors of some paths are written. */
export interface ErrorShape {
  readonly name: "ours" | "openai" | "problem";
  readonly mediaType: string;
  readonly statusOf: (code: ErrorCode) => number;
  readonly textOf: (error: ForebayError) => string;
}

/** How the errors of this path are written, also in the dialect of the public SDKs. */
export function errorShapeOf(path: string): ErrorShape {
  if (isOpenAiPath(path)) return OPENAI;
  return isProblemPath(path) ? PROBLEM : OURS;
}

/** An error as the body of an answer. */
export function errorText({ code, status, message }: ForebayError): string {
  return JSON.stringify({ error: message, code, status });
}

const mediaType = JSON_TYPE["content-type"];
const statusOf = (code: ErrorCode): number => ERRORS[code].status;

const OURS: ErrorShape = { name: "ours", mediaType, statusOf, textOf: errorText };
const OPENAI: ErrorShape = { name: "openai", mediaType, statusOf, textOf: openAiErrorText };
const PROBLEM: ErrorShape = {
  name: "problem",
  mediaType: PROBLEM_TYPE,
  statusOf: problemStatus,
  textOf: problemText,
};
