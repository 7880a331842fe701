/** How often a webhook is tried again where its endpoint does not say (spec 6). */
export const WEBHOOK_RETRIES = 2;

/** What an endpoint can ask for. */
export const MOST_WEBHOOK_RETRIES = 30;

/** Attempts that the end of a server cut are made again, but not more of them than this (promise P19). */
const MOST_CUT = 7;

/** No pause between two attempts is longer, ms. */
const LONGEST_PAUSE = 3_600_000;

/** Whether another attempt may begin: so many were begun, where `retries` may follow the first. */
export function mayBegin(started: number, retries: number): boolean {
  return started <= retries + 1 + MOST_CUT;
}

/**
 * How long after the end of attempt number `attempts` the next one begins: `pause` twice, as the spec says,
 * and from then on twice as long each time.
 */
export function pauseAfter(attempts: number, pause: number): number {
  return Math.min(pause * 2 ** Math.max(0, attempts - WEBHOOK_RETRIES), Math.max(pause, LONGEST_PAUSE));
}

/** Host and port of an http or https address. */
export function receiverOf(address: string): string {
  const { protocol, hostname, port } = new URL(address);
  const usual = protocol === "https:" ? "443" : "80";
  return `${hostname}:${port === "" ? usual : port}`;
}

/** Those that the connection or Forebay itself sets (RFC 9110, 7.6.1). */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

/** The name of a header (RFC 9110, 5.6.2), of at most 128 characters. */
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;

/** The value of a header (RFC 9110, 5.5), without what is no ASCII. */
export const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;

/** Characters in the value of a header. */
export const LONGEST_HEADER = 4_096;

/** What keeps well-formed headers from going with webhooks, in a few words; undefined when nothing does. */
export function headerFault(headers: Readonly<Record<string, string>>): string | undefined {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower) || lower.startsWith("webhook-")) return `${name} is not yours to set`;
    if (names.has(lower)) return `${name} stands there more than once`;
    if (value === HIDDEN) return `${HIDDEN} stands for a value that is not shown; send the value itself`;
    names.add(lower);
  }
  return undefined;
}

/** What is shown of a value that is not. */
export const HIDDEN = "***";
