import { connect, type Socket } from "node:net";
import { TEST_KEY } from "./test-client.ts";

/**
 * Requests that stay in flight, each on a connection of its own: `fetch` sends no more than 256 at once. With
 * `isCutShort` the server waits for the rest of their bodies.
 */
export class HeldRequests implements AsyncDisposable {
  readonly #sockets: Socket[];
  #answered = 0;

  constructor(url: string, count: number, method: string, path: string, isCutShort: boolean) {
    const { host, hostname, port } = new URL(url);
    const body = isCutShort ? '{"input":' : method === "GET" ? "" : '{"input":{}}';
    const head = [
      `${method} ${path} HTTP/1.1`,
      `host: ${host}`,
      `authorization: ${TEST_KEY}`,
      "content-type: application/json",
      ...(method === "GET" ? [] : [`content-length: ${isCutShort ? 100 : body.length}`]),
    ].join("\r\n");
    this.#sockets = Array.from({ length: count }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on("data", () => this.#answered++);
      // A server that ends cuts them off.
      socket.on("error", () => undefined);
      socket.write(`${head}\r\n\r\n${body}`);
      return socket;
    });
  }

  /** How many of them have come back. */
  get answered(): number {
    return this.#answered;
  }

  close(count = this.#sockets.length): void {
    for (const socket of this.#sockets.splice(0, count)) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}
