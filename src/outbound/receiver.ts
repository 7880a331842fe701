import { isIP } from "node:net";

/** Where a call goes. */
export interface Receiver {
  readonly isSecure: boolean;
  /** A name in ASCII, or an address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** The value of the Host header: with brackets, and with the port unless it is the default. */
  readonly authority: string;
  /** The path with the query. */
  readonly path: string;
  /** The Authorization header for the user and password of the URL; undefined without them. */
  readonly authorization: string | undefined;
}

/**
 * Parses a URL as browsers do (WHATWG URL), so that every spelling of an address is that address. The
 * fragment is dropped. Throws ReceiverFault for a URL that can never be called.
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
    throw new ReceiverFault(`Port ${port} is reserved for another protocol. Use another port.`);
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

/** Percent-decodes to bytes. A percent sign that escapes nothing stays. */
function unescaped(text: string): Buffer {
  const binary = text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(binary, "latin1");
}

/** A call that failed because of its receiver. The message is a sentence for the client that chose it. */
export class ReceiverFault extends Error {
  override readonly name = "ReceiverFault";
}

/**
 * Ports of other protocols, whose servers could mistake a request for one of their own. Browsers block the
 * same ports (Fetch standard, section 2.9, "bad port").
 */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
