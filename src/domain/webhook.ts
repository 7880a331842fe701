/** How often a webhook is retried by default (spec 6). */
export const WEBHOOK_RETRIES = 2;

/** The most retries that an endpoint can set. */
export const MOST_WEBHOOK_RETRIES = 30;

/** The most attempts that are repeated because the server stopped during them (promise P19). */
const MOST_CUT = 7;

/** The longest pause between two attempts, ms. */
const LONGEST_PAUSE = 3_600_000;

/** Whether another attempt may begin after `started` ones, with `retries` after the first. */
export function mayBegin(started: number, retries: number): boolean {
  return started <= retries + 1 + MOST_CUT;
}

/**
 * The pause after attempt number `attempts`: `pause` for the first two, as the spec says, then twice as long
 * each time.
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

/** Headers that the connection or Forebay sets (RFC 9110, 7.6.1). */
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

/** The value of a header (RFC 9110, 5.5), ASCII only. */
export const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;

/** The most characters in the value of a header. */
export const LONGEST_HEADER = 4_096;

/** Why these well-formed headers cannot be sent with webhooks, in a few words; undefined if they can. */
export function headerFault(headers: Readonly<Record<string, string>>): string | undefined {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower) || lower.startsWith("webhook-")) return `${name} cannot be set`;
    if (names.has(lower)) return `${name} is there more than once`;
    if (value === HIDDEN) return `${HIDDEN} stands for a hidden value; send the value itself`;
    names.add(lower);
  }
  return undefined;
}

/** What is shown instead of a secret value. */
export const HIDDEN = "***";
