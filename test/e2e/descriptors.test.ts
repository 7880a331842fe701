import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { RawConnection } from "../support/raw-connection.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const DESCRIPTORS = 256;
const STRANGERS = 1_000;

/** So large that its payloads are files. */
const LARGE = "x".repeat(200_000);

/** What somebody without a key sends before he waits for as long as he may. */
const ANSWERED = "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
const FLOODS: Readonly<Record<string, readonly string[]>> = {
  "that send nothing": [""],
  "that send half a header": ["GET /healthz HT"],
  "that are kept alive": [ANSWERED],
  "that send half a body": ["POST /console/session HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{"],
  "of all kinds, one behind the other": [
    "",
    "GET /healthz HT",
    ANSWERED,
    "POST /console/session HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{",
    "GET /v1/keys HTTP/1.1\r\nhost: a\r\nauthorization: no-key\r\n\r\n",
  ],
};

/** Connections of somebody without a key, who makes a new one for each that is closed. */
class Strangers {
  opened = 0;
  readonly #url: URL;
  readonly #first: readonly string[];
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(url: string, first: readonly string[], count: number) {
    this.#url = new URL(url);
    this.#first = first;
    for (let number = 0; number < count; number++) this.#open();
  }

  end(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(): void {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port) });
    this.#sockets.add(socket);
    socket.on("connect", () => socket.write(this.#first[this.opened++ % this.#first.length] ?? ""));
    socket.on("error", () => {});
    socket.on("data", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      if (!this.#isOver) this.#open();
    });
  }
}

describe(`a server with ${DESCRIPTORS} file descriptors`, () => {
  let server: ServerProcess;
  beforeEach(async () => {
    server = await ServerProcess.start({ descriptors: DESCRIPTORS, flags: { "take-hold-ms": "2000" } });
  });
  afterEach(() => server.stop());

  for (const [what, first] of Object.entries(FLOODS)) {
    const flood = `${STRANGERS} connections ${what}`;
    test(`jobs with large payloads are completed during a flood of ${flood}`, async () => {
      const endpoint = await server.endpoint();
      const worker = await server.worker(endpoint);
      const early = await server.run(endpoint, { text: LARGE });
      const strangers = new Strangers(server.url, first, STRANGERS);
      try {
        await until("the server had closed connections", () => strangers.opened > STRANGERS);
        const ids = [early];
        for (let count = 0; count < 10; count++) ids.push(await server.run(endpoint, { text: LARGE }));
        for (let done = 0; done < ids.length;) {
          const { status, json } = await worker.takeBatch(4);
          expect(status).toBe(200);
          for (const { id, input } of json) {
            expect(input).toEqual({ text: LARGE });
            const stored = await worker.done(id, { output: LARGE });
            expect([stored.status, stored.text]).toEqual([200, expect.any(String)]);
            done++;
          }
        }
        for (const id of ids) {
          const { status, output, retries } = await server.status(endpoint, id);
          expect([status, output === LARGE, retries]).toEqual(["COMPLETED", true, undefined]);
        }
      } finally {
        strangers.end();
      }
      await until("the server was at rest", () => server.logged(WITHIN).length > 0);
      expect([server.logged(TOO_MANY).length, server.logged(WITHIN).length]).toEqual([1, 1]);
      expect((await server.health(endpoint)).jobs).toMatchObject({ completed: 11, failed: 0, retried: 0 });
    });
  }
});

describe("limits of connections", () => {
  const KEYED = 20;

  /** Connections that have had the answer to a request with a key, and rest. */
  async function keyed(server: ServerProcess): Promise<RawConnection[]> {
    return Promise.all(
      Array.from({ length: KEYED }, async () => {
        const connection = new RawConnection(server.url);
        connection.write(connection.head("GET /v1/keys"));
        expect(await connection.answers(1)).toEqual([200]);
        return connection;
      }),
    );
  }

  function keyless(server: ServerProcess, count: number): RawConnection[] {
    return Array.from({ length: count }, () => {
      const connection = new RawConnection(server.url);
      connection.write("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
      return connection;
    });
  }

  for (const [flag, limit, left] of [
    ["connections", KEYED + 10, 10],
    ["keyless-connections", 7, 7],
  ] as const) {
    test(`--${flag} closes connections without a key, and none with one`, async () => {
      const server = await ServerProcess.start({ flags: { [flag]: String(limit) } });
      const connections: RawConnection[] = [];
      try {
        const withKey = await keyed(server);
        const without = keyless(server, 60);
        connections.push(...withKey, ...without);
        const open = (): number => without.filter(({ isClosed }) => !isClosed).length;
        await until(`${left} connections without a key were left`, () => open() <= left);
        await until("the server was within its limits", () => server.logged(WITHIN).length > 0);
        expect(open()).toBe(left);
        for (const connection of withKey) {
          connection.write(connection.head("GET /v1/keys"));
          expect(await connection.answers(2)).toEqual([200, 200]);
        }
      } finally {
        for (const connection of connections) connection.end();
        await server.stop();
      }
    });
  }
});

const TOO_MANY = "too many connections: those that have shown no key are closed";
const WITHIN = "connections are within their limits again";
