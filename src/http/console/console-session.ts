import type { Clock } from "../../domain/clock.ts";
import type { ConsoleSession } from "../../engine/records/ended-sessions.ts";
import type { SecretBox } from "../../engine/secret-box.ts";

/** How long a session lasts after the sign-in, ms. */
export const SESSION_TIME = 12 * 3_600_000;

const COOKIE = "forebay-session";

/** Sessions have a purpose of their own, so that no secret of the store opens as a session, or vice versa. */
const PURPOSE = "console session";

/** Seals sessions into cookies. Only the browser keeps the cookie. */
export type SessionBox = Pick<SecretBox, "seal" | "open">;

/** A session, and the key that it began with. */
export interface KeySession extends ConsoleSession {
  readonly key: string;
}

/** The header `Set-Cookie` that begins a session with this key. */
export function beginSession(box: SessionBox, clock: Clock, key: string, isSecure: boolean): string {
  const since = clock.now();
  const session: KeySession = { id: crypto.randomUUID(), key, since, until: since + SESSION_TIME };
  const content = Buffer.from(JSON.stringify(session));
  const value = Buffer.from(box.seal(content, PURPOSE)).toString("base64url");
  return cookieOf(value, SESSION_TIME / 1_000, isSecure);
}

/** The header `Set-Cookie` that makes the browser drop its session. */
export function forgetSession(isSecure: boolean): string {
  return cookieOf("", 0, isSecure);
}

/** The value of the session's cookie; undefined if the request has none. */
export function sessionCookieOf({ headers }: Request): string | undefined {
  const pairs = headers.get("cookie")?.split(/;\s*/) ?? [];
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  return value === "" ? undefined : value;
}

/**
 * The session in a cookie; undefined if it has ended, or if no secret key of this server sealed it. A cookie
 * from before sessions had ids counts as ended.
 */
export function sessionIn(box: SessionBox, clock: Clock, cookie: string): KeySession | undefined {
  const content = opened(box, cookie);
  if (content === undefined) return undefined;
  const session: Omit<KeySession, "id"> & { id?: string } = JSON.parse(content);
  const { id, until } = session;
  return id !== undefined && clock.now() < until ? { ...session, id } : undefined;
}

/**
 * If no key of the ring sealed the cookie, the cipher throws an error without a code. Decoding ignores the
 * last bits of the last character, so the cookie must equal the encoding of what it decodes to.
 */
function opened(box: SessionBox, cookie: string): string | undefined {
  const sealed = Buffer.from(cookie, "base64url");
  if (sealed.toString("base64url") !== cookie) return undefined;
  try {
    return Buffer.from(box.open(sealed, PURPOSE)).toString();
  } catch {
    return undefined;
  }
}

function cookieOf(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
