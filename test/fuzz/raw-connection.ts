import { connect, type Socket } from "node:net";

/** What came back on a connection, byte by byte as the server sent it. */
export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * `left`: the caller had no more patience. `cut`: the server closed the connection before a whole answer had
 * come.
 */
export type Outcome = RawAnswer | "left" | "cut";

/**
 * One client's connection to a server, kept open between requests. It sends what it is given, so that a
 * request can have what no HTTP client would send, and it sees what no HTTP client would show.
 */
export class RawConnection {
  /** Bytes that came when nothing was asked: a second answer to one request. */
  unasked = 0;
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #onNews: ((isOpen: boolean) => void) | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** Sends a request and waits for its answer, `patience` ms at most: then the connection is broken. */
  async send(request: Uint8Array, isHead: boolean, patience: number): Promise<Outcome> {
    const socket = this.#open();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => resolve("left"), patience);
    this.#onNews = (isOpen) => {
      const answer = parseAnswer(this.#received, isHead, isOpen);
      if (answer !== undefined) {
        this.#received = Buffer.from(this.#received.subarray(answer.length));
        resolve(answer);
      } else if (!isOpen) resolve("cut");
    };
    socket.write(request);
    const outcome = await promise;
    clearTimeout(timer);
    this.#onNews = undefined;
    const isOver = typeof outcome === "string" || outcome.headers.get("connection") === "close";
    if (isOver) this.close();
    return outcome;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket !== undefined) return this.#socket;
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    const isCurrent = (): boolean => this.#socket === socket;
    socket.on("data", (piece: Buffer) => {
      if (!isCurrent()) return;
      if (this.#onNews === undefined) this.unasked += piece.length;
      this.#received = Buffer.concat([this.#received, piece]);
      this.#onNews?.(true);
    });
    const over = (): void => {
      if (!isCurrent()) return;
      this.#onNews?.(false);
      this.close();
    };
    socket.on("error", over);
    socket.on("end", over);
    socket.on("close", over);
    return socket;
  }
}

/** The answer at the start of these bytes and how long it is; undefined while some of it is missing. */
function parseAnswer(
  bytes: Buffer,
  isHead: boolean,
  isOpen: boolean,
): (RawAnswer & { length: number }) | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(first)?.[1]);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const start = headEnd + 4;
  if (isHead || status === 204 || status === 304) {
    return { status, headers, body: Buffer.alloc(0), length: start };
  }
  if (headers.get("transfer-encoding") === "chunked") {
    const chunked = parseChunks(bytes, start);
    return chunked && { status, headers, ...chunked };
  }
  const announced = headers.get("content-length");
  if (announced === undefined && isOpen) return undefined;
  const length = announced === undefined ? bytes.length - start : Number(announced);
  if (bytes.length < start + length) return undefined;
  return { status, headers, body: bytes.subarray(start, start + length), length: start + length };
}

/** A body in chunks (RFC 9112, 7.1) that begins at `start`. */
function parseChunks(bytes: Buffer, start: number): { body: Buffer; length: number } | undefined {
  const pieces: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { body: Buffer.concat(pieces), length: next };
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
