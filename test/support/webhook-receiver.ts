import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "./until.ts";

/** A call that came in. */
export interface WebhookCall {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What the receiver does with a call; `nth` counts from 1. */
export type Reply = (response: ServerResponse, call: WebhookCall, nth: number) => void;

/** Lets a server on this machine call what runs on it. */
export const LOOPBACK_ALLOWED = { "webhook-allow": "127.0.0.0/8" };

/** A receiver of webhooks on a free port, which keeps what it is sent. */
export class WebhookReceiver implements AsyncDisposable {
  readonly calls: WebhookCall[] = [];
  #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Without `reply` it acknowledges each call with 200. */
  static async start(reply: Reply = (response) => response.end(), port = 0): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { method = "", url: path = "", headers } = request;
        const call = { method, path, headers, body: Buffer.concat(parts).toString() };
        receiver.calls.push(call);
        reply(response, call, receiver.calls.length);
      });
    });
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return receiver;
  }

  get port(): number {
    // A listening server on a port has such an address.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (this.#server.address() as AddressInfo).port;
  }

  /** An address of it. */
  url(path = "/hook"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Resolves when so many calls have come. */
  async called(count = 1): Promise<readonly WebhookCall[]> {
    await until(`${count} calls have come`, () => this.calls.length >= count);
    return this.calls;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}
