import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import type { ApiKey } from "../domain/account.ts";
import { ForebayError } from "../domain/errors.ts";
import { digestOf, keyIdOf } from "../engine/digest.ts";
import { type KeySession, type SessionBox, sessionCookieOf, sessionIn } from "./console/console-session.ts";
import { requireSameOrigin } from "./console/same-origin.ts";

/** The key or token of a request, sent as such or by a session of the console. */
export interface Credential {
  readonly secret: Secret;
  /** The header that has it; undefined for a session. */
  readonly header?: string;
  readonly session?: KeySession;
}

/** A key or token, with what follows from its text alone and so never changes. */
export interface Secret {
  /** Its SHA-256 in hexadecimal. */
  readonly digest: string;
  /** The id in a key; undefined for anything else. */
  readonly keyId: string | undefined;
  readonly isAdmin: boolean;
  /** The record of this key, once compared. A changed record is a new object, and compared again. */
  rightFor: ApiKey | undefined;
}

/** Reads the credentials of requests. */
export interface CredentialReader {
  /**
   * The credential of a request with this Authorization header. If the header is empty, it is the session of
   * the console. Throws KEY_MISSING and KEY_UNKNOWN.
   */
  credentialOf(request: Request, header: string): Credential;
  secretOf(text: string): Secret;
}

/** The page of the console is at `publicUrl`, or at the host that a request asks for. */
export function credentialReader(
  secrets: SessionBox,
  clock: Clock,
  adminKey: string,
  publicUrl: () => string,
): CredentialReader {
  const adminDigest = adminKey === "" ? undefined : digestOf(adminKey);

  function secretOf(text: string): Secret {
    const digest = digestOf(text);
    const isAdmin = adminDigest !== undefined && isSame(digest, adminDigest);
    return { digest, keyId: keyIdOf(text), isAdmin, rightFor: undefined };
  }

  return {
    secretOf,

    credentialOf(request, header) {
      const cookie = header === "" ? sessionCookieOf(request) : undefined;
      if (cookie === undefined) return { secret: secretOf(secretIn(header)), header };
      requireSameOrigin(request, publicUrl());
      const session = sessionIn(secrets, clock, cookie);
      if (session === undefined) throw sessionOver();
      return { secret: secretOf(session.key), session };
    },
  };
}

/** Compares in constant time. */
export function isSame(digest: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digest), Buffer.from(other));
}

export function sessionOver(): ForebayError {
  return new ForebayError("KEY_UNKNOWN", "The console session has ended. Sign in again.");
}

/** The key, sent as it is or as a Bearer token (RFC 6750), with "Bearer" in any case. */
function secretIn(header: string): string {
  if (header === "") {
    throw new ForebayError("KEY_MISSING", "Send a key in the header: Authorization: Bearer <key>.");
  }
  const secret = /^bearer /i.test(header) ? header.slice(7).trim() : header;
  // Another scheme, or two headers of one name, which the runtime joins; no key contains a space.
  if (secret.includes(" ")) {
    throw new ForebayError(
      "KEY_UNKNOWN",
      "The Authorization header must be Bearer and one key, without spaces in the key. Send it once.",
    );
  }
  return secret;
}
