import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { TEST_KEY } from "../../support/test-client.ts";
import type { TestServer } from "../../support/test-server.ts";

const MB = 1_048_576;

/** A submission of exactly this many bytes. */
const sized = (bytes: number): Buffer => {
  const [head, tail] = ['{"input":{"a":"', '"}}'];
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(bytes - head.length - tail.length, "x"),
    Buffer.from(tail),
  ]);
};

const chunked = (server: TestServer, path: string, body: Uint8Array): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { authorization: TEST_KEY, "content-type": "application/json" },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(body);
        controller.close();
      },
    }),
  });

describe("inputs 1 to 5, 14, 15 and 17: bodies", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  test("input 1: an input that is nested 5,000 deep is refused, and makes no job", () =>
    tried.trial(async ({ server, endpoint }) => {
      const body = `{"input":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`;
      const { status, json } = await server.post(`/v2/${endpoint}/run`, body);
      expect([status, json.code]).toEqual([400, "MALFORMED_JSON"]);
      expect(json.error).toContain("nested deeper than 512");
      return {};
    }));

  test("input 2: ten megabytes of brackets are refused", () =>
    tried.trial(async ({ server, endpoint }) => {
      const body = Buffer.alloc(10 * MB, "[");
      const { status, json } = await server.post(`/v2/${endpoint}/run`, body);
      expect([status, json.code]).toEqual([400, "MALFORMED_JSON"]);
      return {};
    }));

  test(
    "input 3: 19.8 MB of empty arrays reach the worker as they were, and others are served meanwhile",
    () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const input = `{"a":[${"[],".repeat(6_600_000)}[]]}`;
        const large = server.post(`/v2/${endpoint}/runsync`, `{"input":${input}}`);
        const job = (async () => {
          for (;;) {
            const taken = await worker.take();
            if (taken.status === 200) return taken;
          }
        })();
        let served = 0;
        const small = (async () => {
          for (let isOver = false; !isOver;) {
            expect((await server.get(`/v2/${endpoint}/health`)).status).toBe(200);
            served++;
            isOver = (await Promise.race([job, Promise.resolve(undefined)])) !== undefined;
          }
        })();
        const taken = await job;
        await small;
        expect(served).toBeGreaterThan(5);
        const { id } = taken.json;
        expect(taken.text === `{"id":"${id}","input":${input}}`).toBe(true);
        await worker.done(id, `{"output":${input}}`);
        expect((await large).text.endsWith(`"output":${input}}`)).toBe(true);
        return { completed: 1 };
      }),
    60_000,
  );

  test.each([
    ["run", 10 * MB],
    ["runsync?wait=1000", 20 * MB],
  ])(
    "input 4: %s takes as many bytes as it says and not one more, announced or not",
    (operation, limit) =>
      tried.trial(async ({ server, endpoint }) => {
        const path = `/v2/${endpoint}/${operation}`;
        expect((await server.post(path, sized(limit))).status).toBe(200);
        expect((await chunked(server, path, sized(limit))).status).toBe(200);
        expect((await server.post(path, sized(limit + 1))).status).toBe(413);
        expect((await chunked(server, path, sized(limit + 1))).status).toBe(413);
        return { inQueue: 2 };
      }),
    30_000,
  );

  test("input 4: a body that is shorter than announced makes no job", () =>
    tried.trial(async ({ server, endpoint }) => {
      for (const length of [20, 200_000]) {
        const connection = new RawConnection(server.url);
        connection.write(connection.head(`POST /v2/${endpoint}/run`, `content-length: ${length}`));
        connection.write('{"input":{}}');
        connection.socket.end();
        await connection.closed();
        expect(connection.statuses).toEqual([]);
      }
      return {};
    }));

  test("input 5: an unknown encoding is refused unread on five paths, and the connection closed", () =>
    tried.trial(async ({ server, endpoint }) => {
      const refusals = ["run", "runsync", "cancel/x", "retry/x", "purge-queue"].map(async (path) => {
        const connection = new RawConnection(server.url);
        const lines = ["content-encoding: br", "content-length: 1000000"];
        connection.write(connection.head(`POST /v2/${endpoint}/${path}`, ...lines));
        expect(await connection.answers(1)).toEqual([415]);
        await connection.closed();
      });
      await Promise.all(refusals);
      return {};
    }));

  test.each([
    ["a second byte order mark", [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, ...Buffer.from('{"input":{}}')]],
    ["an invalid byte", [...Buffer.from('{"input":{"a":"'), 0xff, ...Buffer.from('"}}')]],
    ["an overlong form", [...Buffer.from('{"input":{"a":"'), 0xc0, 0xaf, ...Buffer.from('"}}')]],
    ["half a character at its end", [...Buffer.from('{"input":{"a":"'), 0xe2, 0x82, ...Buffer.from('"}}')]],
    ["a surrogate", [...Buffer.from('{"input":{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}}')]],
    ["UTF-16", [...Buffer.from('{"input":{}}', "utf16le")]],
  ])("input 14: %s is refused", (_name, bytes) =>
    tried.trial(async ({ server, endpoint }) => {
      const { status, json } = await server.post(`/v2/${endpoint}/run`, Uint8Array.from(bytes));
      expect([status, json.code]).toEqual([400, "MALFORMED_JSON"]);
      return {};
    }),
  );

  test.each([131_071, 131_072, 131_073, 131_074, 262_143, 262_144])(
    "input 14: at byte %d, where a slice of the scan may end, no character is taken for another",
    (at) =>
      tried.trial(async ({ server, endpoint }) => {
        const body = (bad: number[]): Uint8Array => {
          const whole = sized(400_000);
          whole.set(bad, at - 1);
          return whole;
        };
        const euro = [0xe2, 0x82, 0xac];
        expect((await server.post(`/v2/${endpoint}/run`, body(euro))).status).toBe(200);
        expect((await server.post(`/v2/${endpoint}/run`, body([0xf0, 0x9f, 0x98, 0x80]))).status).toBe(200);
        for (const bad of [[0xff], [0xe2, 0x82], [0x82], [...euro, 0x82]]) {
          expect((await server.post(`/v2/${endpoint}/run`, body(bad))).status).toBe(400);
        }
        return { inQueue: 2 };
      }),
  );

  const NO_SUBMISSION = [
    "",
    "null",
    "[]",
    '"x"',
    "{}",
    '{"input":null}',
    '{"input":[]}',
    '{"input":1}',
    '{"input":{}}x',
    '{"input":{}}{"input":{}}',
    '{"input":NaN}',
    '{"input":{}/**/}',
    "{'input':{}}",
  ];
  test("input 15: what is no submission is refused; an empty input is one", () =>
    tried.trial(async ({ server, endpoint }) => {
      for (const operation of ["run", "runsync"]) {
        for (const body of NO_SUBMISSION) {
          const { status } = await server.post(`/v2/${endpoint}/${operation}`, body);
          expect([body, status]).toEqual([body, 400]);
        }
      }
      expect((await server.post(`/v2/${endpoint}/run`, '{"input":{}}')).status).toBe(200);
      return { inQueue: 1 };
    }));

  test("input 17: clients and workers send JSON, and may call it what they like", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const submit = async (type: string): Promise<number> =>
        (await server.post(`/v2/${endpoint}/run`, '{"input":{}}', { "content-type": type })).status;
      const types = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json",
        "Application/JSON",
        "application/json\t; charset=UTF-8",
      ];
      for (const type of types) expect([type, await submit(type)]).toEqual([type, 200]);
      const { json } = await worker.take();
      // The test worker sends what the public SDK sends: application/x-www-form-urlencoded.
      await worker.stream(json.id, '{"output":"a=b&c=%20"}');
      await worker.done(json.id, '{"output":"a=b&c=%20"}');
      expect(await server.status(endpoint, json.id)).toMatchObject({ output: "a=b&c=%20" });
      return { inQueue: types.length - 1, completed: 1 };
    }));
});
