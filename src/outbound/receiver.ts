import { isIP } from "node:net";
import { BAD_PORTS } from "./bad-ports.ts";
import { ReceiverFault } from "./receiver-fault.ts";

/** Where a call goes. */
export interface Receiver {
  readonly isSecure: boolean;
  /** A name in ASCII, or an address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** As the Host header has it: with brackets, and with the port where it is not the usual one. */
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  /** Value of the Authorization header that user and password make; undefined without them. */
  readonly authorization: string | undefined;
}

/**
 * Takes a URL apart as browsers do (WHATWG URL), so that every spelling of an address is that address. The
 * fragment is dropped. Throws ReceiverFault for what can never be called.
 */
export function parseReceiver(text: string): Receiver {
  const url = parseUrl(text);
  if (url === undefined) throw new ReceiverFault("The address is not a valid URL.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ReceiverFault("The address must begin with http:// or https://.");
  }
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  if (BAD_PORTS.has(port)) {
    throw new ReceiverFault(`Port ${port} belongs to another protocol than HTTP; use another port.`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    isSecure,
    host,
    isAddress: isIP(host) !== 0,
    port,
    authority: url.host,
    path: url.pathname + url.search,
    authorization: basicAuthorization(url),
  };
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** RFC 7617, section 2.1: in UTF-8. */
function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = Buffer.concat([unescaped(username), Buffer.from(":"), unescaped(password)]);
  return `Basic ${pair.toString("base64")}`;
}

/** The bytes behind percent signs, whatever they are; a percent sign that escapes nothing is itself. */
function unescaped(text: string): Buffer {
  const binary = text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(binary, "latin1");
}
