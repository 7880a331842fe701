import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";

/** A request that could be hidden in what is left of another one: answered, it would purge the queue. */
const SMUGGLED = "POST /v2/{endpoint}/purge-queue HTTP/1.1\r\nhost: a\r\nauthorization: {key}\r\n\r\n";

const BODY = '{"input":{}}';

/** Heads that leave open where the request ends; `lines` come behind Host and Authorization. */
const AMBIGUOUS: Readonly<Record<string, readonly string[]>> = {
  "a length and chunks": [`content-length: ${BODY.length}`, "transfer-encoding: chunked"],
  "chunks and a length": ["transfer-encoding: chunked", "content-length: 0"],
  "two lengths": ["content-length: 12", "content-length: 120"],
  "two lengths in one": ["content-length: 12, 120"],
  "the same length twice": [`content-length: ${BODY.length}`, `content-length: ${BODY.length}`],
  "the same length three times": Array<string>(3).fill(`content-length: ${BODY.length}`),
  "an unknown transfer encoding": ["transfer-encoding: xchunked"],
  "chunked twice": ["transfer-encoding: chunked, chunked"],
  "chunked and then another": ["transfer-encoding: chunked, identity"],
  "a space before the colon": ["transfer-encoding : chunked"],
  "a space before the colon of a length": ["content-length : 12"],
  "a length with a sign": ["content-length: +12"],
  "a negative length": ["content-length: -1"],
  "a length in hexadecimal": ["content-length: 0xc"],
  "a length that no number holds": ["content-length: 99999999999999999999"],
  "a folded header": ["x-a: b", " transfer-encoding: chunked"],
  "NUL in a header": ["x-a: \0"],
  "a name that is none": ["x a: b"],
};

describe("input 18: requests that servers understand differently", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  /** What comes back for these bytes, and nothing behind them, with a job in the queue that must stay. */
  async function sent(
    { server }: Trial,
    bytes: (connection: RawConnection) => string,
  ): Promise<{ statuses: number[]; isClosed: boolean }> {
    const connection = new RawConnection(server.url);
    connection.write(Buffer.from(bytes(connection), "latin1"));
    const statuses = await connection.answers(1);
    if (![200, 404].includes(statuses[0] ?? 0)) await connection.closed();
    const { isClosed } = connection;
    connection.end();
    return { statuses, isClosed };
  }

  const smuggled = ({ endpoint }: Trial, connection: RawConnection): string =>
    SMUGGLED.replace("{endpoint}", endpoint).replace(
      "{key}",
      /authorization: (.*)\r/.exec(connection.head("GET /"))?.[1] ?? "",
    );

  for (const [what, lines] of Object.entries(AMBIGUOUS)) {
    test(`input 18: ${what}: refused, closed, and nothing behind it is answered`, () =>
      tried.trial(async (trial) => {
        await trial.server.run(trial.endpoint);
        for (const operation of ["run", "runsync", "purge-queue", `cancel/none`]) {
          const { statuses } = await sent(
            trial,
            (connection) =>
              connection.head(`POST /v2/${trial.endpoint}/${operation}`, ...lines) +
              BODY +
              smuggled(trial, connection),
          );
          expect(statuses.length).toBeLessThanOrEqual(1);
          for (const status of statuses) expect([400, 413, 431, 501, 505]).toContain(status);
        }
        return { inQueue: 1 };
      }));
  }

  const CHUNKS: Readonly<Record<string, string>> = {
    "a size that is no number": `zz\r\n${BODY}\r\n0\r\n\r\n`,
    "a size with a sign": `+c\r\n${BODY}\r\n0\r\n\r\n`,
    "a negative size": `-c\r\n${BODY}\r\n0\r\n\r\n`,
    "a size in hexadecimal with its sign": `0xc\r\n${BODY}\r\n0\r\n\r\n`,
    "a size that no number holds": `ffffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`,
    "a chunk that is longer than its size": `5\r\n${BODY}\r\n0\r\n\r\n`,
  };
  for (const [what, chunks] of Object.entries(CHUNKS)) {
    test(`input 18: ${what}: no job, and nothing behind it is answered`, () =>
      tried.trial(async (trial) => {
        await trial.server.run(trial.endpoint);
        const { statuses } = await sent(
          trial,
          (connection) =>
            connection.head(`POST /v2/${trial.endpoint}/run`, "transfer-encoding: chunked") +
            chunks +
            smuggled(trial, connection),
        );
        expect(statuses.length).toBeLessThanOrEqual(1);
        for (const status of statuses) expect(status).toBe(400);
        return { inQueue: 1 };
      }));
  }

  const HEADS: Readonly<Record<string, (connection: RawConnection, trial: Trial) => string>> = {
    "line feeds alone": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`).replaceAll("\r\n", "\n"),
    "carriage returns alone": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`).replaceAll("\r\n", "\r"),
    "a header of 20 kB": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`, `x-a: ${"a".repeat(20_480)}`),
    "a million headers": (connection, { endpoint }) =>
      connection
        .head(`GET /v2/${endpoint}/health`)
        .replace(/\r\n\r\n$/, `\r\n${"x-a: b\r\n".repeat(1_000_000)}\r\n`),
    "two hosts": (connection, { endpoint }) => connection.head(`GET /v2/${endpoint}/health`, "host: b"),
    "two keys": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`, "authorization: another"),
    "chunks of HTTP/1.0": (connection, { endpoint }) =>
      connection
        .head(`POST /v2/${endpoint}/run`, "transfer-encoding: chunked")
        .replace("HTTP/1.1", "HTTP/1.0") + `c\r\n${BODY}\r\n0\r\n\r\n`,
    "no host": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`).replace(/host: [^\r]*\r\n/, ""),
    "an unknown version": (connection, { endpoint }) =>
      connection.head(`GET /v2/${endpoint}/health`).replace("HTTP/1.1", "HTTP/9.9"),
    "the preface of HTTP/2": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP at all": () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
  };
  for (const [what, head] of Object.entries(HEADS)) {
    test(`input 18: ${what}: refused or closed, at most once`, () =>
      tried.trial(async (trial) => {
        const connection = new RawConnection(trial.server.url);
        connection.write(Buffer.from(head(connection, trial), "latin1"));
        // What has no end yet is waited for as any header is.
        connection.socket.end();
        const statuses = await connection.answers(1);
        expect(statuses.length).toBeLessThanOrEqual(1);
        for (const status of statuses) expect([400, 401, 413, 415, 431, 505]).toContain(status);
        connection.end();
        return {};
      }));
  }

  test("input 18: paths are taken as they are sent: no slash too many, no dots, no other host", () =>
    tried.trial(async (trial) => {
      const { endpoint, server } = trial;
      for (const target of [
        `//v2/${endpoint}/health`,
        `/v2//${endpoint}/health`,
        `/v2/${endpoint}/health//`,
        `/v2/x%2f..%2f${endpoint}/health`,
        `/V2/${endpoint}/health`,
      ]) {
        const { statuses } = await sent(trial, (connection) => connection.head(`GET ${target}`));
        expect([target, statuses]).toEqual([target, [404]]);
      }
      const absolute = `http://elsewhere.example/v2/${endpoint}/health`;
      const { statuses } = await sent(trial, (connection) => connection.head(`GET ${absolute}`));
      expect(statuses).toEqual([200]);
      expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
      return {};
    }));

  test("input 18: a huge chunk extension leaves at most one answer, for the request itself", () =>
    tried.trial(async (trial) => {
      const { endpoint } = trial;
      const start = `POST /v2/${endpoint}/run`;
      const chunked = "transfer-encoding: chunked";
      const extension = await sent(
        trial,
        (connection) => `${connection.head(start, chunked)}c;${"a".repeat(20_000)}\r\n${BODY}\r\n0\r\n\r\n`,
      );
      expect(extension.statuses.length).toBeLessThanOrEqual(1);
      return { inQueue: extension.statuses.filter((status) => status === 200).length };
    }));
  test("input 18: trailers are answered once with 400, though their request has made its job", () =>
    tried.trial(async (trial) => {
      // The runtime refuses them when the body has ended, and the server has no say in that.
      const trailers = "content-length: 100\r\nx-a: b\r\n\r\n";
      const { statuses, isClosed } = await sent(
        trial,
        (connection) =>
          connection.head(`POST /v2/${trial.endpoint}/run`, "transfer-encoding: chunked") +
          `c\r\n${BODY}\r\n0\r\n${trailers}${smuggled(trial, connection)}`,
      );
      expect([statuses, isClosed]).toEqual([[400], true]);
      return { inQueue: 1 };
    }));

  test("input 18: on one connection every request gets its own answer, refused ones too", () =>
    tried.trial(async ({ server, endpoint }) => {
      const connection = new RawConnection(server.url);
      const post = (body: string): string =>
        connection.head(`POST /v2/${endpoint}/run`, `content-length: ${body.length}`) + body;
      const requests = [
        [post(BODY), 200],
        [post("nonsense"), 400],
        [connection.head(`GET /v2/${endpoint}/nothing`), 404],
        [post(BODY), 200],
        [connection.head(`GET /v2/${endpoint}/health`), 200],
      ] as const;
      const expected: number[] = [];
      for (const [request, status] of requests) {
        connection.write(request);
        expected.push(status);
        expect(await connection.answers(expected.length)).toEqual(expected);
      }
      connection.end();
      return { inQueue: 2 };
    }));
});
