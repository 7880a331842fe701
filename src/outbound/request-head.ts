import { type Receiver, ReceiverFault } from "./receiver.ts";

/** Headers about the transport of the message, which callers cannot set. */
const OURS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

/**
 * The head of a POST (RFC 9112). A given Authorization header overrides the one from the URL. Throws
 * ReceiverFault for a header that cannot be sent.
 */
export function requestHead(
  receiver: Receiver,
  given: Readonly<Record<string, string>>,
  length: number,
  userAgent: string,
): string {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const lines = [`POST ${receiver.path} HTTP/1.1`, `Host: ${receiver.authority}`, `User-Agent: ${userAgent}`];
  if (receiver.authorization !== undefined && !names.has("authorization")) {
    lines.push(`Authorization: ${receiver.authorization}`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || OURS.has(name.toLowerCase())) {
      throw new ReceiverFault(`The header ${JSON.stringify(name)} cannot be set.`);
    }
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ReceiverFault(`The header ${name} has an invalid value.`);
    }
    lines.push(`${name}: ${value}`);
  }
  lines.push("Accept-Encoding: identity", `Content-Length: ${length}`, "Connection: close");
  return `${lines.join("\r\n")}\r\n\r\n`;
}
