import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import { TEST_KEY } from "./test-client.ts";

const CRLF = "\r\n";

/**
 * Reads one long answer on a connection of its own, without keeping it, at the pace that the test says: it
 * counts how often `mark` stands in the body.
 */
export class ListReader {
  readonly #socket: Socket;
  readonly #mark: Buffer;
  #head = "";
  /** Bytes of the chunk that have not come yet; undefined: the line with its size is next. */
  #left: number | undefined;
  #line = "";
  #tail: Buffer = Buffer.alloc(0);
  #marks = 0;
  readonly #hash = createHash("sha1");
  #bytes = 0;
  readonly #ended = Promise.withResolvers<void>();
  #isWhole = false;

  constructor(url: string, path: string, mark: string, key = TEST_KEY) {
    const { host, hostname, port } = new URL(url);
    this.#mark = Buffer.from(mark);
    this.#socket = connect({ host: hostname, port: Number(port) });
    this.#socket.on("data", (piece: Buffer) => this.#take(piece));
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => this.#ended.resolve());
    this.#socket.write([`GET ${path} HTTP/1.1`, `host: ${host}`, `authorization: ${key}`, "", ""].join(CRLF));
  }

  /** Takes nothing any more until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  /** Takes the first bytes, and then nothing until `resume`. To be called before any have come. */
  async stall(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once("data", () => {
      this.pause();
      resolve();
    });
    await promise;
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Bytes of the body so far. */
  get bytes(): number {
    return this.#bytes;
  }

  get marks(): number {
    return this.#marks;
  }

  /** Of the whole body; to be asked for once. */
  digest(): string {
    return this.#hash.digest("hex");
  }

  /** Whether the answer is there from its status 200 to its last byte. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The answer is whole, or the connection closed. */
  async end(): Promise<this> {
    await this.#ended.promise;
    return this;
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    let at = 0;
    if (this.#left === undefined && !this.#head.endsWith(CRLF + CRLF)) {
      this.#head += piece.toString("latin1");
      const end = this.#head.indexOf(CRLF + CRLF);
      if (end === -1) return;
      const over = this.#head.length - end - 4;
      this.#head = this.#head.slice(0, end + 4);
      at = piece.length - over;
    }
    while (at < piece.length)
      at = this.#left === undefined ? this.#takeSize(piece, at) : this.#takeBody(piece, at);
  }

  #takeSize(piece: Buffer, at: number): number {
    const end = piece.indexOf("\n", at);
    this.#line += piece.toString("latin1", at, end === -1 ? piece.length : end);
    if (end === -1) return piece.length;
    const line = this.#line.trim();
    this.#line = "";
    if (line === "") return end + 1;
    this.#left = Number.parseInt(line, 16);
    if (this.#left === 0) {
      this.#isWhole = this.#head.startsWith("HTTP/1.1 200 ");
      this.#socket.end();
      this.#ended.resolve();
    }
    return end + 1;
  }

  #takeBody(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + (this.#left ?? 0));
    this.#count(piece.subarray(at, end));
    this.#hash.update(piece.subarray(at, end));
    this.#bytes += end - at;
    this.#left = (this.#left ?? 0) - (end - at);
    if (this.#left === 0) this.#left = undefined;
    return end;
  }

  #count(bytes: Buffer): void {
    const all = Buffer.concat([this.#tail, bytes]);
    for (let at = all.indexOf(this.#mark); at !== -1; at = all.indexOf(this.#mark, at + 1)) this.#marks++;
    this.#tail = all.subarray(Math.max(0, all.length - this.#mark.length + 1));
  }
}
