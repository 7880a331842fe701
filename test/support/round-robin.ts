import { connect, createServer, type Server, type Socket } from "node:net";

/** A load balancer: each connection goes to the next server that takes it. */
export class RoundRobin implements AsyncDisposable {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #ports: () => readonly number[];
  #next = 0;

  private constructor(ports: () => readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      this.#track(client);
      this.#forward(client, this.#next++, this.#ports().length);
    });
  }

  static async start(ports: () => readonly number[]): Promise<RoundRobin> {
    const balancer = new RoundRobin(ports);
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the balancer does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #forward(client: Socket, turn: number, tries: number): void {
    const ports = this.#ports();
    const port = ports[turn % ports.length];
    if (port === undefined || tries === 0) {
      client.destroy();
      return;
    }
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const refused = (): void => this.#forward(client, turn + 1, tries - 1);
    server.once("error", refused);
    server.once("connect", () => {
      server.off("error", refused);
      this.#track(server);
      client.pipe(server);
      server.pipe(client);
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    });
  }

  #track(socket: Socket): void {
    this.#open.add(socket);
    // Its close follows.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#open.delete(socket));
  }
}
