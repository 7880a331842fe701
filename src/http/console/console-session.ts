import type { Clock } from "../../domain/clock.ts";
import type { SecretBox } from "../../engine/secret-box.ts";

/** How long a person stays signed in, ms. */
export const SESSION_TIME = 12 * 3_600_000;

const COOKIE = "forebay-session";

/** A session opens nothing that lies sealed in the store, and nothing of that is a session. */
const PURPOSE = "console session";

/** Sessions of the console: a key and when the session ends, sealed, and kept by the browser alone. */
export type SessionBox = Pick<SecretBox, "seal" | "open">;

/** The header `Set-Cookie` that begins a session with this key. */
export function beginSession(box: SessionBox, clock: Clock, key: string, isSecure: boolean): string {
  const content = Buffer.from(JSON.stringify({ key, until: clock.now() + SESSION_TIME }));
  const value = Buffer.from(box.seal(content, PURPOSE)).toString("base64url");
  return cookieOf(value, SESSION_TIME / 1_000, isSecure);
}

/** The header `Set-Cookie` that ends the session of a browser. */
export function endSession(isSecure: boolean): string {
  return cookieOf("", 0, isSecure);
}

/** The value of the session's cookie; undefined where the request has none. */
export function sessionCookieOf({ headers }: Request): string | undefined {
  const pairs = headers.get("cookie")?.split(/;\s*/) ?? [];
  const value = pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
  return value === "" ? undefined : value;
}

/** The key of a session; undefined when it is over, or not sealed by a key of this server. */
export function keyOfSession(box: SessionBox, clock: Clock, cookie: string): string | undefined {
  const content = opened(box, cookie);
  if (content === undefined) return undefined;
  const { key, until }: { key: string; until: number } = JSON.parse(content);
  return clock.now() < until ? key : undefined;
}

/** What is not sealed by a key of the ring makes the cipher throw, which has no code for it. */
function opened(box: SessionBox, cookie: string): string | undefined {
  try {
    return Buffer.from(box.open(Buffer.from(cookie, "base64url"), PURPOSE)).toString();
  } catch {
    return undefined;
  }
}

function cookieOf(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? "; Secure" : "";
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
