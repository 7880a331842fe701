import { connect, type Socket } from "node:net";
import { TEST_KEY } from "./test-client.ts";
import { until } from "./until.ts";

/** A connection on which a test writes what it likes, byte by byte. */
export class RawConnection {
  readonly socket: Socket;
  readonly #host: string;
  #received = "";
  #isClosed = false;

  constructor(url: string) {
    const { host, hostname, port } = new URL(url);
    this.#host = host;
    this.socket = connect({ host: hostname, port: Number(port) });
    this.socket.on("data", (piece: Buffer) => (this.#received += piece.toString("latin1")));
    this.socket.on("error", () => {});
    this.socket.on("close", () => (this.#isClosed = true));
  }

  /** The head of a request with the admin key; further lines as they are. */
  head(start: string, ...lines: readonly string[]): string {
    return [`${start} HTTP/1.1`, `host: ${this.#host}`, `authorization: ${TEST_KEY}`, ...lines, "", ""].join(
      "\r\n",
    );
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The status lines that have come so far. */
  get statuses(): number[] {
    return [...this.#received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** The statuses once there are `count` of them, or the server has closed the connection. */
  async answers(count: number, limit?: number): Promise<number[]> {
    await until(
      `there were ${count} answers, or the end of the connection`,
      () => this.statuses.length >= count || this.#isClosed,
      limit,
    );
    return this.statuses;
  }

  async closed(limit?: number): Promise<void> {
    await until("the server closed the connection", () => this.#isClosed, limit);
  }

  end(): void {
    this.socket.destroy();
  }
}
