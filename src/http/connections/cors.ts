import type { RequestAnswers, Runtime } from "../answer-requests.ts";

/** How long a browser remembers the answer to a preflight, s. */
const MAX_AGE = "600";

/** What a page may read besides the headers that it always may. */
const EXPOSED =
  "x-request-id, retry-after, ratelimit, ratelimit-policy, etag, x-job-id, x-job-status, x-next-chunk, " +
  "x-attempt, x-worker-id, forebay-ignored";

/** Pages elsewhere never reach the session of the console. */
const CLOSED = /^\w+:\/\/[^/]*(?:\/sdk)?\/console(?:[/?]|$)/;

/**
 * Answers pages of these origins, with commas between them; `*`: all (CORS, https://fetch.spec.whatwg.org).
 * Cookies are never allowed: a page needs a key.
 */
export function withCors(fetch: RequestAnswers["fetch"], given: string): RequestAnswers["fetch"] {
  const isAll = given === "*";
  const origins = new Set(given.split(","));

  return async (request: Request, runtime: Runtime) => {
    const origin = request.headers.get("origin");
    const isAllowed = origin !== null && (isAll || origins.has(origin)) && !CLOSED.test(request.url);
    const isPreflight = request.method === "OPTIONS" && request.headers.has("access-control-request-method");
    const response = isAllowed && isPreflight ? preflight(request) : await fetch(request, runtime);
    const { headers } = response;
    if (!isAll) headers.append("vary", "Origin");
    if (!isAllowed) return response;
    headers.set("access-control-allow-origin", isAll ? "*" : origin);
    headers.set("access-control-expose-headers", EXPOSED);
    return response;
  };
}

/** Every method and header: the key in the request decides what it may do. */
function preflight({ headers }: Request): Response {
  const asked = headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE",
      ...(asked === null ? {} : { "access-control-allow-headers": asked }),
      "access-control-max-age": MAX_AGE,
    },
  });
}
