import { timingSafeEqual } from "node:crypto";
import { DEFAULT_ACCOUNT } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import type { WorkerToken } from "../domain/worker.ts";
import { digestOf } from "../engine/digest.ts";
import type { Bearer, Configuration } from "../engine/records/configuration.ts";

/** Tells who sends a request (spec 5; design, row 21). */
export interface Auth {
  /** The account of the key. Throws KEY_MISSING, KEY_UNKNOWN, KEY_NOT_ALLOWED. */
  account(request: Request): string;
  /** The token of a worker of this endpoint. Throws the same. */
  worker(request: Request, endpoint: string): WorkerToken;
}

/**
 * `adminKey`, where one is set, may do everything. A key is looked up by its SHA-256, which nobody can
 * choose, so that the time of the look-up tells nothing of the keys there are.
 */
export function auth(configuration: Configuration, adminKey: string): Auth {
  const adminDigest = adminKey === "" ? undefined : Buffer.from(digestOf(adminKey));

  function bearerOf(request: Request): Bearer | "admin" {
    const digest = digestOf(secretOf(request));
    if (adminDigest !== undefined && timingSafeEqual(Buffer.from(digest), adminDigest)) return "admin";
    const bearer = configuration.bearer(digest);
    if (bearer === undefined || isOfGoneEndpoint(bearer)) {
      throw new ForebayError("KEY_UNKNOWN", "The key in the Authorization header is not known here.");
    }
    return bearer;
  }

  /** Its token goes a moment after the endpoint itself. */
  function isOfGoneEndpoint(bearer: Bearer): boolean {
    return bearer.kind === "worker" && configuration.get("endpoint", bearer.token.endpoint) === undefined;
  }

  return {
    account(request) {
      const bearer = bearerOf(request);
      if (bearer === "admin") return DEFAULT_ACCOUNT.id;
      if (bearer.kind === "key") return bearer.key.account;
      throw new ForebayError(
        "KEY_NOT_ALLOWED",
        "A worker's token opens only the paths of workers. Use an API key.",
      );
    },

    worker(request, endpoint) {
      const bearer = bearerOf(request);
      if (bearer !== "admin" && bearer.kind === "worker" && bearer.token.endpoint === endpoint)
        return bearer.token;
      throw new ForebayError(
        "KEY_NOT_ALLOWED",
        `This path needs a token of endpoint ${endpoint}: POST /v1/endpoints/${endpoint}/workers makes one.`,
      );
    },
  };
}

/** The key, sent raw or as a Bearer token (RFC 6750), the word in any case. */
function secretOf(request: Request): string {
  const header = request.headers.get("authorization");
  if (header === null || header === "") {
    throw new ForebayError("KEY_MISSING", "Send a key in the header: Authorization: Bearer <key>.");
  }
  const secret = /^bearer /i.test(header) ? header.slice(7).trim() : header;
  // Two headers of one name reach us joined; no key has a space.
  if (secret.includes(" ")) {
    throw new ForebayError(
      "INVALID_HEADER",
      "The Authorization header is sent more than once, or has a space in its key.",
    );
  }
  return secret;
}
