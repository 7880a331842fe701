import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

const MB = 1_048_576;

const EIGHT_TAGS = Array.from({ length: 8 }, (_, index) => `${index}${"😀".repeat(63)}`);

describe("a submission", () => {
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
  });
  afterAll(() => server.stop());

  const submit = (body: string | Uint8Array, operation = "run") =>
    server.post(`/v2/${endpoint}/${operation}`, body);
  const queued = async (): Promise<number> => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;

  const withPolicy = (policy: string): string => `{"input":{},"policy":${policy}}`;

  test.each([
    ["", "MALFORMED_JSON", "body"],
    ["null", "INVALID_FIELD", "input"],
    ["[]", "INVALID_FIELD", "input"],
    ['"x"', "INVALID_FIELD", "input"],
    ['{"input":{}}x', "MALFORMED_JSON", "byte 12"],
    ['{"input":{}}{"input":{}}', "MALFORMED_JSON", "byte 12"],
    ['{"input":NaN}', "MALFORMED_JSON", "byte 9"],
    ['{"input":{}/**/}', "MALFORMED_JSON", "byte 11"],
    ["{'input':{}}", "MALFORMED_JSON", "byte 1"],
    ['{"input":{},"input":{}}', "INVALID_FIELD", "input"],
    ['{"input":{},"webhook":"https://a.example","webhook":"https://b.example"}', "INVALID_FIELD", "webhook"],
    ['{"input":{},"\\u0069nput":{}}', "INVALID_FIELD", "input"],
    [`{"input":${"[".repeat(512)}${"]".repeat(512)}}`, "MALFORMED_JSON", "nested deeper than 512"],
    [withPolicy('{"ttl":1,"ttl":20000}'), "INVALID_FIELD", "ttl"],
    [withPolicy('{"ttl":1e999}'), "INVALID_FIELD", "policy.ttl"],
    [withPolicy('{"tags":"a"}'), "INVALID_FIELD", "policy.tags must be a list of texts."],
    [withPolicy('{"tags":["1","2","3","4","5","6","7","8","9"]}'), "INVALID_FIELD", "at most 8"],
    [withPolicy('{"tags":["a","a"]}'), "INVALID_FIELD", "policy.tags has a tag twice"],
    [withPolicy('{"tags":["\\ud800"]}'), "INVALID_FIELD", "half of a character"],
    ...['""', '" "', '"a b"', '"\\u0000"', '"\\u202e"', `"${"x".repeat(65)}"`, "1", "null"].map(
      (tag) => [withPolicy(`{"tags":["a",${tag}]}`), "INVALID_FIELD", "1 to 64 visible characters"] as const,
    ),
  ])("%s is refused as %s, naming %s, and makes no job", async (body, code, named) => {
    const before = await queued();
    const { status, json } = await submit(body);
    expect([status, json.code, json.status]).toEqual([400, code, 400]);
    expect(json.error).toContain(named);
    expect(await queued()).toBe(before);
  });

  test.each([
    ["an empty input", '{"input":{}}'],
    ["the edges of the policy", withPolicy('{"ttl":10000,"executionTimeout":5001,"lowPriority":true}')],
    ["the longest ttl, and 1e4 as the integer it is", withPolicy('{"ttl":604800000,"executionTimeout":1e4}')],
    ["a timeout longer than the ttl", withPolicy('{"ttl":10000,"executionTimeout":1099511627776}')],
    [
      "names that parsers stumble over, inside input",
      '{"input":{"__proto__":{"x":1},"constructor":{"prototype":1}}}',
    ],
    ["eight of the longest tags", withPolicy(JSON.stringify({ tags: EIGHT_TAGS }))],
    ["duplicates inside input", '{"input":{"a":1,"a":2}}'],
    ["numbers no parser keeps", '{"input":{"a":[9007199254740993,1e999,-0,1.0,0.1e-400]}}'],
    ["text that databases refuse", '{"input":{"a":"\\u0000"}}'],
  ])("%s is accepted", async (_name, body) => {
    expect((await submit(body)).status).toBe(200);
  });

  test.each([
    ["a second byte order mark", [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, ...Buffer.from('{"input":{}}')]],
    ["nothing but a byte order mark", [0xef, 0xbb, 0xbf]],
    ["an invalid byte", [...Buffer.from('{"input":{"a":"'), 0xff, ...Buffer.from('"}}')]],
    ["an overlong form", [...Buffer.from('{"input":{"a":"'), 0xc0, 0xaf, ...Buffer.from('"}}')]],
    ["UTF-16", [...Buffer.from('{"input":{}}', "utf16le")]],
  ])("reliability 5.14: %s is refused", async (_name, bytes) => {
    expect((await submit(Uint8Array.from(bytes))).json.code).toBe("MALFORMED_JSON");
  });

  test.each([
    ["run", 10 * MB],
    ["runsync?wait=1000", 20 * MB],
  ])(
    "8 run payload, 8 runsync payload: %s takes bodies up to its limit, and not a byte more",
    async (operation, limit) => {
      const frame = '{"input":{"a":""}}'.length;
      const body = (size: number): string => `{"input":{"a":"${"x".repeat(size - frame)}"}}`;
      expect((await submit(body(limit), operation)).status).toBe(200);
      const before = await queued();
      const refused = await submit(body(limit + 1), operation);
      expect([refused.status, refused.json.code]).toEqual([413, "BODY_TOO_LARGE"]);
      const chunked = await fetch(`${server.url}/v2/${endpoint}/${operation}`, {
        method: "POST",
        headers: { authorization: "Bearer test-key-0123456789", "content-type": "application/json" },
        body: new ReadableStream({
          start(controller) {
            controller.enqueue(Buffer.from(body(limit + 1)));
            controller.close();
          },
        }),
      });
      expect(chunked.status).toBe(413);
      expect(await queued()).toBe(before);
    },
  );

  test("a body that is cut off makes no job", async () => {
    const before = await queued();
    const { port } = new URL(server.url);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      socket: { data() {}, close: () => resolve() },
    });
    const head =
      "authorization: Bearer test-key-0123456789\r\ncontent-type: application/json\r\ncontent-length: 100";
    socket.write(`POST /v2/${endpoint}/run HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n{"input":{}}`);
    socket.end();
    await closed;
    expect(await queued()).toBe(before);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json\t; charset=UTF-8",
    "no type at all",
  ])("reliability 5.17: JSON sent as %p is JSON", async (type) => {
    const { status } = await server.post(`/v2/${endpoint}/run`, '{"input":{}}', { "content-type": type });
    expect(status).toBe(200);
  });
});
