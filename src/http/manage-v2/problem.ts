import { type ErrorCode, ERRORS, ForebayError } from "../../domain/errors.ts";
import { isReservedName } from "../../domain/endpoint-name.ts";

/** Statuses of the public API v2 that differ from those of `/v1`. */
const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = { KEY_NOT_ALLOWED: 403, INVALID_FIELD: 422 };

export const PROBLEM_TYPE = "application/problem+json";

/** Whether errors of this path are problems: it is a path of the management API v2. */
export function isProblemPath(path: string): boolean {
  const [, word = ""] = /^(?:\/sdk)?\/v2\/([^/]+)/.exec(path) ?? [];
  return isReservedName(word);
}

/** The status of an error of the management API v2. */
export function problemStatus(code: ErrorCode): number {
  return STATUSES[code] ?? ERRORS[code].status;
}

/** An error as the public API v2 shows it (RFC 9457), with the members of our other errors. */
export function problemText({ code, message }: ForebayError): string {
  const status = problemStatus(code);
  const errors = code === "INVALID_FIELD" || code === "INVALID_QUERY" ? [message] : undefined;
  const title = TITLES[status] ?? "Error";
  return JSON.stringify({ title, status, detail: message, errors, error: message, code });
}

/** The error for a path of the public API v2 that this server does not have; undefined for other paths. */
export function unsupportedAt(path: string): ForebayError | undefined {
  const [, word = ""] = /^\/v2\/([^/]+)/.exec(path) ?? [];
  const what = UNSUPPORTED.get(word);
  if (what === undefined) return undefined;
  return new ForebayError(
    "NOT_SUPPORTED",
    `Forebay has no ${what}. It serves endpoints, templates, registries and the catalog of the API v2.`,
  );
}

/** What the first word of a path stands for. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ["pods", "pods"],
  ["clusters", "clusters"],
  ["account", "SSH keys"],
  ["billing", "billing"],
  ["network-volumes", "network volumes"],
]);

/** Reason phrases (RFC 9110, 15). */
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
