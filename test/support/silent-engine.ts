import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Certificate } from "./certificate.ts";

/** What an engine answers on which nothing runs, by the path without the version. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  "/_ping": "OK",
  "/info": { NCPU: 8, MemTotal: 68_719_476_736 },
  "/containers/json": [],
  "/volumes": { Volumes: [] },
};

/** Speaks as much of the API of Docker as a host without workers needs. */
export class SilentEngine {
  readonly address: string;
  readonly #server: Server;

  private constructor(address: string, server: Server) {
    this.address = address;
    this.#server = server;
  }

  /** Listens on a socket at this path. */
  static async at(path: string): Promise<SilentEngine> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return new SilentEngine(`unix://${path}`, server);
  }

  /** Listens on a port of this machine, for clients with a certificate of the authority. */
  static async withTls({ cert, key }: Certificate, ca: string): Promise<SilentEngine> {
    const options = { cert, key, ca, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer(options, answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // It has a port.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { port } = server.address() as AddressInfo;
    return new SilentEngine(`tcp://127.0.0.1:${port}`, server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function answer({ url = "" }: IncomingMessage, response: ServerResponse): void {
  const path = url.replace(/^\/v[0-9.]+/, "").replace(/\?.*/, "");
  const body = ANSWERS[path];
  response.setHeader("api-version", "1.44");
  // The stream of events stays open.
  if (path === "/events") {
    response.writeHead(200).flushHeaders();
    return;
  }
  response.writeHead(body === undefined ? 404 : 200);
  response.end(JSON.stringify(body ?? { message: `there is no ${path}` }));
}
