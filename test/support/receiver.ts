import { createServer as createPlain, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createSecure, type TlsOptions } from "node:tls";
import { until } from "./until.ts";

/** A receiver of webhooks that does what it likes. */
export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** How many connections there have been. */
  readonly connections: number;
  /** The addresses that these were made to. */
  readonly addresses: readonly string[];
  /** How many are open. */
  readonly open: number;
  /** How many bytes have been taken from it, or wait in buffers of the system. */
  readonly sent: number;
  /** Each whole request, as text. */
  readonly requests: readonly string[];
  /** How many bytes it has read. */
  readonly received: number;
  /** A deaf one begins to read. */
  hear(): void;
  /** Fails unless all connections have come to their end. */
  closed(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** Called when a whole request has come. */
  readonly answer?: (socket: Socket) => void;
  /** Called when a connection has come. */
  readonly greet?: (socket: Socket) => void;
  /** Undefined: without TLS. */
  readonly tls?: TlsOptions;
  /** Where it listens; otherwise on loopback. */
  readonly host?: string;
  /** Otherwise one that is free. */
  readonly port?: number;
  /** Reads nothing until it is told to hear. */
  readonly isDeaf?: boolean;
}

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { answer, greet, tls, host = "127.0.0.1", port = 0, isDeaf = false } = options;
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const addresses: string[] = [];
  let sent = 0;
  let received = 0;
  const server: Server = tls === undefined ? createPlain(serve) : createSecure(tls, serve);
  if (tls !== undefined) server.on("connection", count);
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return addresses.length;
    },
    get open() {
      return sockets.size;
    },
    get sent() {
      return sent;
    },
    get received() {
      return received;
    },
    addresses,
    requests,
    hear() {
      for (const socket of sockets) socket.resume();
    },
    closed: async () => {
      await until("the receiver's connections are closed", () => sockets.size === 0);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };

  function count(socket: Socket): void {
    addresses.push((socket.localAddress ?? "").replace("::ffff:", ""));
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sent += socket.bytesWritten;
      received += socket.bytesRead;
      sockets.delete(socket);
    });
  }

  function serve(socket: Socket): void {
    if (tls === undefined) count(socket);
    socket.on("error", () => undefined);
    greet?.(socket);
    if (isDeaf) return void socket.pause();
    let request = "";
    let isAnswered = false;
    socket.on("data", (bytes: Buffer) => {
      request += bytes.toString("latin1");
      const end = request.indexOf("\r\n\r\n") + 4;
      const length = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0);
      if (isAnswered || end < 4 || request.length < end + length) return;
      isAnswered = true;
      requests.push(request);
      answer?.(socket);
    });
  }
}
