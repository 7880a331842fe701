import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { isOpenAiPath } from "../../src/http/openai/openai-error.ts";
import { ERROR } from "./answer-shapes.ts";
import type { Draft } from "./draft.ts";
import { OPENAI_ERROR, OPENAI_REFUSAL } from "./openai-errors.ts";
import type { RawAnswer } from "./raw-connection.ts";

/** What an answer is held against; the first three are Schemathesis' checks of the same name. */
export type Check =
  | "not_a_server_error"
  | "response_schema_conformance"
  | "negative_data_rejection"
  | "positive_data_acceptance"
  | "ignored_auth"
  | "UseAfterFree"
  | "LeakageRule"
  | "ResourceHierarchy"
  | "NameSpaceRule"
  | "InvalidDynamicObject"
  | "ensure_resource_availability"
  | "answered";

/** `ok`, or the code of an error. */
export type Verdict = string;

/** The refusal that has no body, and so no code. */
export const HEAD_TOO_LARGE: Verdict = "a head that is too large";

/** The error of a worker, in the place of what it would have answered: no fault of the server. */
export const MODEL_FAILURE: Verdict = "a failure of the model";

export interface Judgement {
  /** What the answer says; undefined when it has no shape by which to tell. */
  readonly verdict: Verdict | undefined;
  readonly json: unknown;
  readonly faults: readonly { readonly check: Check; readonly what: string }[];
}

/** The status of each code, as users read it. */
const DOCUMENTED = new Map(
  [
    ...readFileSync(join(import.meta.dir, "../../docs/errors.md"), "utf8").matchAll(
      /^\| `([A-Z_]+)` \| (\d+) \|/gm,
    ),
  ].map(([, code = "", status]) => [code, Number(status)]),
);

/** Whether this code says that there were too many requests: any of them may be answered so. */
export function isRefusedByRate(code: Verdict): boolean {
  return DOCUMENTED.get(code) === 429;
}

const OPENAPI = { spec: new OpenApiChecks("spec"), sdk: new OpenApiChecks("sdk") } as const;

/**
 * What the OpenAPI document does not say of the answer. It speaks of its own paths and methods; of others
 * what docs/api.md says holds.
 */
function undocumented(
  { operation, dialect, method, path }: Draft,
  answer: RawAnswer,
  json: unknown,
): string[] {
  const checks = OPENAPI[dialect];
  const { status, headers } = answer;
  const own = new RegExp(`^${operation.path.replace("{route}", ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  // Errors of other paths have another shape than those of models.
  const isOtherError = operation.routes[0] !== "" && !isOpenAiPath(path);
  const isElsewhere = !own.test(path) && (status === 404 || method === "HEAD" || isOtherError);
  // Where there is HEAD, it is answered as GET.
  const described = method === "HEAD" && status !== 405 ? "GET" : method;
  const documented = isElsewhere ? undefined : checks.find(described, operation.path);
  if (documented !== undefined) {
    return checks.faultsOf(Object.assign({}, documented, { method }), { status, headers, json });
  }
  return [400, 404, 405].includes(status) ? [] : [`${method} is answered ${status}, and is not documented`];
}

/** Holds an answer against what the documents say of answers, whatever was asked. */
export function judge(draft: Draft, answer: RawAnswer): Judgement {
  const { operation, dialect, method } = draft;
  const { status, headers, body } = answer;
  const faults: { check: Check; what: string }[] = [];
  const broken = (what: string): void => void faults.push({ check: "response_schema_conformance", what });
  const callsModel = operation.routes[0] !== "";
  const isOfModel = callsModel && headers.get("x-should-retry") === "false";
  if (status >= 500 && !isOfModel) {
    faults.push({ check: "not_a_server_error", what: `it was answered ${status}` });
  }
  const hold = (json: unknown): void => undocumented(draft, answer, json).forEach(broken);
  // docs/api.md, 7: the runtime refuses a head of more than 16 kB before anything looks at it.
  if (status === 431 && body.length === 0) return { verdict: HEAD_TOO_LARGE, json: undefined, faults };
  if (method === "HEAD") hold(undefined);
  if (method === "HEAD") return { verdict: status === 200 ? "ok" : codeOf(status), json: undefined, faults };
  if (status === 204) {
    if (!operation.mayBeEmpty) broken("it was answered 204, and must have a body");
    hold(undefined);
    return { verdict: "ok", json: undefined, faults };
  }
  if (headers.get("content-type") === "application/x-ndjson") {
    const lines = body
      .toString()
      .split("\n")
      .filter((line) => line.trim() !== "");
    const result = operation.ok?.[dialect].safeParse(lines.map((line) => parsed(Buffer.from(line), broken)));
    if (result?.success !== true)
      broken(result === undefined ? "it has no lines" : z.prettifyError(result.error));
    hold(undefined);
    return { verdict: "ok", json: undefined, faults };
  }
  if (callsModel && headers.get("content-type") === "text/event-stream") {
    hold(undefined);
    // What stands in them, and whether there are any, is the worker's business.
    if (body.length > 0 && !body.toString().endsWith("\n\n")) broken("these are no whole events");
    return { verdict: "ok", json: undefined, faults };
  }
  if (operation.path === "/v1/backup" && headers.get("content-type") === "application/x-tar") {
    hold(undefined);
    // What is in it, test/backup shows.
    if (!body.subarray(0, 512).includes("README.txt")) broken("this is no backup");
    return { verdict: "ok", json: undefined, faults };
  }
  if (headers.get("content-type") !== "application/json") {
    broken(`the answer's content-type is ${headers.get("content-type")}`);
    return { verdict: undefined, json: undefined, faults };
  }
  const json: unknown = parsed(body, broken);
  if (isOfModel) {
    if (!OPENAI_ERROR.safeParse(json).success) broken("the model's failure is no error of OpenAI");
    return { verdict: MODEL_FAILURE, json, faults };
  }
  hold(json);
  if (status === 200 || status === 202) {
    const shape = operation.ok?.[dialect];
    const result = shape?.safeParse(json);
    if (result === undefined) broken("it was answered 200, and never should be");
    else if (!result.success) broken(z.prettifyError(result.error));
    return { verdict: "ok", json, faults };
  }
  const isOpenAi = isOpenAiPath(`${dialect === "sdk" ? "/sdk" : ""}${draft.path}`);
  const error = (isOpenAi ? OPENAI_REFUSAL : ERROR).safeParse(json);
  if (!error.success) {
    broken(z.prettifyError(error.error));
    return { verdict: undefined, json, faults };
  }
  const { code } = error.data;
  const documented = DOCUMENTED.get(code);
  if (documented === undefined) broken(`docs/errors.md has no ${code}`);
  else if (documented !== status || error.data.status !== status) {
    broken(`${code} is documented as ${documented}, sent as ${status} with ${error.data.status} in its body`);
  }
  if ((status === 429 || status === 503) && !headers.has("retry-after")) broken("there is no Retry-After");
  return { verdict: code, json, faults };
}

const HEAD_CODES: Readonly<Record<number, Verdict>> = {
  400: "INVALID_HEADER",
  404: "ROUTE_NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
};

/** An answer to HEAD has no body, and so no code: the one that its status can stand for. */
function codeOf(status: number): Verdict {
  return HEAD_CODES[status] ?? `a status ${status}`;
}

function parsed(body: Buffer, broken: (what: string) => void): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    broken(`the body is no JSON in UTF-8: ${error.message}`);
    return undefined;
  }
}
