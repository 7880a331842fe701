import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface PostgresProxy extends AsyncDisposable {
  /** The address of the database through the proxy. */
  readonly url: string;
}

/** Accepts connections in front of a PostgreSQL; `join` connects both sides of each. */
export async function openPostgresProxy(
  databaseUrl: string,
  join: (client: Socket, database: Socket) => void,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port) });
    client.setNoDelay(true);
    database.setNoDelay(true);
    join(client, database);
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  // A server that listens on TCP has an address of this kind.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
