import { ForebayError } from "../../domain/errors.ts";

/**
 * A browser sends the session's cookie with every request to this server, so this checks where the request
 * comes from (threat T15). No other page gets an answer. A request that changes something must also prove
 * that a page of this server sent it. Throws KEY_NOT_ALLOWED.
 */
export function requireSameOrigin(request: Request, publicUrl: string): void {
  const site = request.headers.get("sec-fetch-site");
  // "none" is an address that a person typed.
  if (site !== null && site !== "same-origin" && site !== "none") throw fromElsewhere();
  if (!isChanging(request)) return;
  if (!isOwnOrigin(request, publicUrl)) throw fromElsewhere();
}

/** Whether `Origin` names this server: the host of the request, or that of the public address. */
export function isOwnOrigin({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get("origin") ?? "";
  const host = /^https?:\/\/([^/]+)$/.exec(origin)?.[1];
  return host !== undefined && (host === headers.get("host") || host === hostOf(publicUrl));
}

/** Some GET calls change something too. A browser sends no Origin with GET, so they require POST. */
function isChanging({ method, url }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return true;
  const [path = "", query] = url.split("?", 2);
  return path.includes("/openai/") || new URLSearchParams(query).has("ttl");
}

function hostOf(address: string): string | undefined {
  return /^https?:\/\/([^/]+)/.exec(address)?.[1];
}

function fromElsewhere(): ForebayError {
  return new ForebayError(
    "KEY_NOT_ALLOWED",
    "A session of the console opens this only to the console itself: its Origin must be that of this " +
      "server. Elsewhere send a key in the Authorization header.",
  );
}
