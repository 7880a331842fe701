import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { forgetPeak, largestWith, memoryOf, peakOf } from "../support/memory-of.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const MB = 1_048_576;

/** Of --body-budget-mb, and what the server may take beside it, MB. */
const BUDGET = 128;
const ALLOWED = 200;

const SUBMISSION = '{"input":{"text":"grüße 😀"}}';

const submissionOf = (bytes: number): string => `{"input":{"a":"${"x".repeat(bytes - 18)}"}}`;

describe("reliability 5.5: a compressed body", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
  });
  afterAll(() => server.stop());

  const submit = (encoding: string, body: Uint8Array, operation = "run") =>
    server.post(`/v2/${endpoint}/${operation}`, body, { "content-encoding": encoding });
  const queued = async (): Promise<number> => (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;

  test.each([
    ["gzip", gzipSync(SUBMISSION)],
    ["GZIP", gzipSync(SUBMISSION)],
    ["x-gzip", gzipSync(SUBMISSION)],
    ["deflate", deflateSync(SUBMISSION)],
    ["deflate", deflateRawSync(SUBMISSION)],
    ["identity", Buffer.from(SUBMISSION)],
  ])("in %s reaches the worker as the text that it was", async (encoding, body) => {
    const { status, json } = await submit(encoding, body);
    expect(status).toBe(200);
    const { text } = await worker.take();
    expect(text).toBe(`{"id":"${json.id}",${SUBMISSION.slice(1)}`);
    await worker.done(json.id, { output: 1 });
  });

  test("without a length is decoded, also if its pieces are single bytes", async () => {
    const bytes = deflateSync(SUBMISSION);
    const response = await fetch(`${server.url}/v2/${endpoint}/run`, {
      method: "POST",
      headers: { authorization: TEST_KEY, "content-encoding": "deflate" },
      body: new ReadableStream({
        async start(controller) {
          for (const byte of bytes) {
            controller.enqueue(Uint8Array.of(byte));
            await Bun.sleep(0);
          }
          controller.close();
        },
      }),
    });
    expect(response.status).toBe(200);
    await worker.done((await worker.take()).json.id, { output: 1 });
  });

  test("of a management call is decoded", async () => {
    const created = await server.post("/v1/endpoints", gzipSync('{"name":"packed"}'), {
      "content-encoding": "gzip",
    });
    expect([created.status, created.json.name]).toEqual([200, "packed"]);
  });

  test.each(["br", "zstd", "gzip, gzip", "compress"])(
    "in %s is refused, and the sentence says so",
    async (encoding) => {
      const { status, json } = await submit(encoding, brotliCompressSync(SUBMISSION));
      expect([status, json.code]).toEqual([415, "MEDIA_TYPE_NOT_SUPPORTED"]);
      expect(json.error).toContain("Use gzip, deflate, or no compression.");
    },
  );

  test.each([
    ["gzip", Buffer.from(SUBMISSION)],
    ["gzip", gzipSync(SUBMISSION).subarray(0, -9)],
    ["deflate", Buffer.from(SUBMISSION)],
    ["gzip", Buffer.alloc(0)],
  ])("that cannot be decoded as %s is refused, and makes no job", async (encoding, body) => {
    const before = await queued();
    const { status, json } = await submit(encoding, body);
    expect([status, json.code]).toEqual([400, "MALFORMED_JSON"]);
    expect(await queued()).toBe(before);
  });

  test("counts as decoded: its limit is the same, and not a byte more", async () => {
    expect((await submit("gzip", gzipSync(submissionOf(10 * MB)))).status).toBe(200);
    const { status, json } = await submit("gzip", gzipSync(submissionOf(10 * MB + 1)));
    expect([status, json.code]).toEqual([413, "BODY_TOO_LARGE"]);
    await server.post(`/v2/${endpoint}/purge-queue`);
  });

  test("counts as sent: what is not compressible is refused above the limit", async () => {
    const random = crypto.getRandomValues.bind(crypto);
    const noise = Buffer.concat(Array.from({ length: 170 }, () => random(new Uint8Array(65_536))));
    const { status, json } = await submit("gzip", gzipSync(noise));
    expect([status, json.code]).toEqual([413, "BODY_TOO_LARGE"]);
  });

  test("that grows a thousandfold is cut at the limit: 40 at once need little memory", async () => {
    const bomb = gzipSync(Buffer.alloc(400 * MB, " "), { level: 9 });
    expect(bomb.length).toBeLessThan(MB);
    const mark = crypto.randomUUID();
    // Alone in its process: the memory of the clients does not count.
    const flags = { "body-budget-mb": String(BUDGET) };
    const own = await ServerProcess.start({ flags, env: { ENCODED_BODIES_TEST: mark } });
    const path = `/v2/${await own.endpoint()}/run`;
    const pid = largestWith(`ENCODED_BODIES_TEST=${mark}`);
    const before = memoryOf(pid);
    forgetPeak(pid);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => own.post(path, bomb, { "content-encoding": "gzip" })),
    );
    const grown = peakOf(pid) - before;
    await own.stop();
    for (const { status, json } of answers) {
      expect(["BODY_TOO_LARGE", "OVERLOADED"]).toContain(json.code);
      expect([413, 503]).toContain(status);
    }
    expect(answers.some(({ status }) => status === 413)).toBe(true);
    expect(grown).toBeLessThan(BUDGET + ALLOWED);
  }, 60_000);
});
