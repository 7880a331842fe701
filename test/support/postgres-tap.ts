import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** Stands before a PostgreSQL, passes everything on, and notes each statement that is run. */
export interface PostgresTap extends AsyncDisposable {
  /** The address of the database through the tap. */
  readonly url: string;
  /** The statements since the last call, in the order in which they were sent. */
  taken(): string[];
}

/** The code of a first message that asks for TLS; the start of the session follows it. */
const ASKS_FOR_TLS = 80_877_103;

export async function tapPostgres(databaseUrl: string): Promise<PostgresTap> {
  const { hostname, port } = new URL(databaseUrl);
  let noted: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect({ host: hostname, port: Number(port) });
    const read = statementReader((statement) => noted.push(statement));
    client.on("data", read);
    client.pipe(database).pipe(client);
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
    taken() {
      const all = noted;
      noted = [];
      return all;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads what a client of PostgreSQL sends, and calls `note` with each statement that it runs. */
function statementReader(note: (statement: string) => void): (piece: Buffer) => void {
  let bytes = Buffer.alloc(0);
  let hasStarted = false;
  const prepared = new Map<string, string>();
  const portals = new Map<string, string>();

  function onMessage(type: string, body: Buffer): void {
    const [first = "", second = ""] = body.toString("latin1").split("\0", 2);
    if (type === "Q") note(first);
    if (type === "P") prepared.set(first, second);
    if (type === "B") portals.set(first, prepared.get(second) ?? "");
    if (type === "E") note(portals.get(first) ?? "");
  }

  return (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    for (;;) {
      // Only the first message has no type before its length.
      const from = hasStarted ? 1 : 0;
      if (bytes.length < from + 8 && !(hasStarted && bytes.length >= 5)) return;
      const end = from + bytes.readUInt32BE(from);
      if (bytes.length < end) return;
      if (hasStarted) onMessage(String.fromCharCode(bytes[0] ?? 0), bytes.subarray(5, end));
      else hasStarted = bytes.readUInt32BE(4) !== ASKS_FOR_TLS;
      bytes = bytes.subarray(end);
    }
  };
}
