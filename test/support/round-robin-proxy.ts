import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * How long a connection may rest, ms: longer than its clients take it to be open, as at the server itself
 * (race R27). The public worker SDK drops a result when the connection that it has kept for 15 s is closed.
 */
const CLIENT_REST = 75_000;

/** A load balancer in small: each request goes to the next server, whatever connection it came on. */
export class RoundRobinProxy {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer({ keepAliveTimeout: CLIENT_REST }, (call, answer) =>
    this.#pass(call, answer),
  );
  #targets: readonly string[] = [];
  #next = 0;
  /** Requests passed on to each server. */
  readonly passed = new Map<string, number>();

  static async start(): Promise<RoundRobinProxy> {
    const proxy = new RoundRobinProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    // A server that listens on TCP has an address of this kind.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on requests go to these servers. */
  sendTo(targets: readonly string[]): void {
    this.#targets = targets;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(call: IncomingMessage, answer: ServerResponse): void {
    const target = this.#targets[this.#next++ % this.#targets.length];
    if (target === undefined) throw new Error("the proxy has no server");
    this.passed.set(target, (this.passed.get(target) ?? 0) + 1);
    const { method, url, headers } = call;
    const { connection: _, ...passed } = headers;
    const onward = request(`${target}${url}`, { method, headers: passed, agent: this.#agent });
    onward.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      response.on("error", () => answer.destroy());
    });
    onward.on("error", () => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    answer.on("close", () => {
      if (!answer.writableFinished) onward.destroy();
    });
    call.pipe(onward);
  }
}
