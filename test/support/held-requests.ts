import { connect, type Socket } from "node:net";
import { TEST_KEY } from "./test-client.ts";

/**
 * Requests that stay in flight, each on a connection of its own: `fetch` sends no more than 256 at once. With
 * `isCutShort` the server waits for the rest of their bodies.
 */
export class HeldRequests implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #open: () => void;
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
    this.#open = () => {
      const socket = connect({ host: hostname, port: Number(port) });
      let answer = "";
      socket.on("data", (piece) => {
        answer += piece.toString();
        if (isWhole(answer)) this.#end(socket, answer);
      });
      // A server that ends cuts them off.
      socket.on("error", () => undefined);
      socket.write(`${head}\r\n\r\n${body}`);
      this.#sockets.add(socket);
    };
    for (let n = 0; n < count; n++) this.#open();
  }

  /** How many of them were answered to the end. */
  get answered(): number {
    return this.#answered;
  }

  close(count = this.#sockets.size): void {
    for (const socket of [...this.#sockets].slice(0, count)) this.#close(socket);
  }

  /** One that found no room, because another call was in flight at that moment, is sent again. */
  #end(socket: Socket, answer: string): void {
    this.#close(socket);
    if (answer.includes("TOO_MANY_AT_ONCE")) this.#open();
    else this.#answered++;
  }

  #close(socket: Socket): void {
    this.#sockets.delete(socket);
    socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }
}

/** The head of a late answer leaves long before its body. */
function isWhole(answer: string): boolean {
  return answer.endsWith("\r\n0\r\n\r\n") || /^content-length: /im.test(answer);
}
