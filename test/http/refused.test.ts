import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { brotliCompressSync } from "node:zlib";
import { answerOf } from "../support/answer.ts";
import { type RawEnd, rawRequest } from "../support/raw-request.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const MB = 1_048_576;
const BODY = '{"input":{}}';
const CHUNK = `c\r\n${BODY}\r\n`;

/** The eight operations; `{job}` stands for one that each could change. */
const OPERATIONS = [
  ["POST", "run"],
  ["POST", "runsync"],
  ["GET", "status/{job}"],
  ["GET", "stream/{job}"],
  ["POST", "cancel/{job}"],
  ["POST", "retry/{job}"],
  ["POST", "purge-queue"],
  ["GET", "health"],
] as const;

const POSTS = OPERATIONS.filter(([method]) => method === "POST");

interface Broken {
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
  readonly end: RawEnd;
  /** The status of the answer; undefined: none, the connection is gone. */
  readonly status: number | undefined;
  /** The sender goes on after the answer: TCP may throw it away with the connection (RFC 9112, 9.6). */
  readonly mayBeLost?: true;
}

const whole = { body: BODY, end: "waits" as RawEnd };
const BROKEN: Readonly<Record<string, Broken>> = {
  "a body that is shorter than announced, then the end of the sender": {
    headers: ["content-length: 100"],
    body: BODY,
    end: "closes",
    status: undefined,
  },
  "a body that is shorter than announced, then a reset": {
    headers: ["content-length: 100"],
    body: BODY,
    end: "resets",
    status: undefined,
  },
  "a chunked body without its last chunk": {
    headers: ["transfer-encoding: chunked"],
    body: CHUNK,
    end: "closes",
    status: undefined,
  },
  "a chunked body that is reset before its last chunk": {
    headers: ["transfer-encoding: chunked"],
    body: CHUNK,
    end: "resets",
    status: undefined,
  },
  "a chunk that is cut off": {
    headers: ["transfer-encoding: chunked"],
    body: `ff\r\n${BODY}`,
    end: "closes",
    status: undefined,
  },
  "a chunk whose size is no number": {
    headers: ["transfer-encoding: chunked"],
    body: `zz\r\n${BODY}\r\n0\r\n\r\n`,
    end: "waits",
    status: 400,
  },
  "two lengths": { headers: ["content-length: 12", "content-length: 13"], ...whole, status: 400 },
  "a length and chunks": {
    headers: ["content-length: 12", "transfer-encoding: chunked"],
    body: `${CHUNK}0\r\n\r\n`,
    end: "waits",
    status: 400,
  },
  "a negative length": { headers: ["content-length: -1"], ...whole, status: 400 },
  "a length with a sign": { headers: ["content-length: +12"], ...whole, status: 400 },
  "a length that is no number": { headers: ["content-length: twelve"], ...whole, status: 400 },
  "a length that no number holds": {
    headers: ["content-length: 99999999999999999999"],
    ...whole,
    status: 400,
  },
  "an unknown transfer encoding": { headers: ["transfer-encoding: xchunked"], ...whole, status: 400 },
  "two keys": { headers: ["content-length: 12", "authorization: another"], ...whole, status: 401 },
  "a body in an unknown encoding": {
    headers: ["content-encoding: br", `content-length: ${brotliCompressSync(BODY).length}`],
    body: brotliCompressSync(BODY),
    end: "waits",
    status: 415,
  },
  "a length above every limit": {
    headers: [`content-length: ${30 * MB}`],
    body: "{",
    end: "waits",
    status: 413,
  },
  "chunks above every limit": {
    headers: ["transfer-encoding: chunked"],
    body: `${(30 * MB).toString(16)}\r\n${" ".repeat(30 * MB)}\r\n0\r\n\r\n`,
    end: "waits",
    status: 413,
    mayBeLost: true,
  },
};

/** Only where the body says something is a length that is too small a fault of the request. */
const TOO_SHORT: Broken = { headers: ["content-length: 11"], ...whole, status: 400 };

describe("what is refused", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let queued: string;
  let running: string;
  let failed: string;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    failed = await server.run(endpoint);
    await worker.take();
    await worker.done(failed, { error: "no" });
    running = await server.run(endpoint);
    await worker.take();
    queued = await server.run(endpoint);
  });

  /** The path of an operation, upon a job that it would change if it could. */
  const pathOf = (operation: string, at = endpoint): string =>
    `/v2/${at}/${operation.replace("{job}", operation.startsWith("retry") ? failed : queued)}`;

  async function expectNothingHappened(): Promise<void> {
    const { jobs } = (await server.get(`/v2/${endpoint}/health`)).json;
    expect(jobs).toEqual({ completed: 0, failed: 1, inProgress: 1, inQueue: 1, retried: 0 });
    expect(await server.status(endpoint, queued)).toEqual({ id: queued, status: "IN_QUEUE" });
    expect(await server.status(endpoint, failed)).toMatchObject({ status: "FAILED", error: "no" });
    await worker.done(running, { output: "kept" });
    expect(await server.status(endpoint, running)).toMatchObject({ status: "COMPLETED", output: "kept" });
    expect((await worker.take()).json.id).toBe(queued);
  }

  for (const [method, operation] of POSTS) {
    for (const [what, { status, mayBeLost = false, ...broken }] of Object.entries(BROKEN)) {
      test(`${operation} with ${what} makes no job, loses none and changes none`, async () => {
        const answer = await rawRequest(server.url, { method, path: pathOf(operation), ...broken });
        if (answer !== undefined || !mayBeLost) expect(answer).toBe(status);
        await expectNothingHappened();
      });
    }
  }

  for (const [method, operation] of OPERATIONS.filter(([method]) => method === "GET")) {
    test(`${operation} with a body, whatever is wrong with it, loses no job and changes none`, async () => {
      const path = pathOf(operation.startsWith("stream") ? `${operation}?wait=1000` : operation);
      const answers = Object.values(BROKEN).map(async ({ status, ...broken }) => {
        // No body is asked for, and one that is whole is not looked at.
        expect([status, 200]).toContain(await rawRequest(server.url, { method, path, ...broken }));
      });
      await Promise.all(answers);
      await expectNothingHappened();
    });
  }

  for (const operation of ["run", "runsync"]) {
    test(`${operation} with a body that is longer than announced makes no job`, async () => {
      const { status, ...broken } = TOO_SHORT;
      const answer = await rawRequest(server.url, { method: "POST", path: pathOf(operation), ...broken });
      expect(answer).toBe(status);
      await expectNothingHappened();
    });
  }

  for (const [method, operation] of OPERATIONS) {
    const call = async (path: string, authorization?: string) =>
      answerOf(
        await fetch(`${server.url}${path}`, {
          method,
          headers: authorization === undefined ? {} : { authorization },
          ...(method === "POST" ? { body: BODY } : {}),
        }),
      );

    test(`7 401, 5 rule 1: ${operation} without the right key is refused, and changes nothing`, async () => {
      const token = worker.env["RUNPOD_AI_API_KEY"] ?? "";
      for (const [key, code] of [
        [undefined, "KEY_MISSING"],
        ["", "KEY_MISSING"],
        ["Bearer wrong", "KEY_UNKNOWN"],
        [token, "KEY_NOT_ALLOWED"],
      ] as const) {
        const { status, json } = await call(pathOf(operation), key);
        expect([status, json.code, json.status]).toEqual([401, code, 401]);
        expect(json.error).toEqual(expect.any(String));
      }
      await expectNothingHappened();
    });

    test(`7 404: ${operation} of an unknown endpoint is refused`, async () => {
      const { status, json } = await server.call(
        method,
        pathOf(operation, "nowhere"),
        method === "POST" ? BODY : undefined,
      );
      expect([status, json.code]).toEqual([404, "ENDPOINT_NOT_FOUND"]);
      expect(json.error).toContain("nowhere");
      await expectNothingHappened();
    });
  }

  test.each(OPERATIONS.filter(([, operation]) => operation.includes("{job}")))(
    "7 404: %s %s of a job that was removed, of another endpoint, or never there, is refused",
    async (method, operation) => {
      const elsewhere = await server.endpoint();
      const removed = await server.run(elsewhere);
      await server.post(`/v2/${elsewhere}/purge-queue`);
      for (const [at, job] of [
        [elsewhere, removed],
        [elsewhere, queued],
        [elsewhere, failed],
        [endpoint, "no-such-job"],
      ] as const) {
        const { status, json } = await server.call(method, `/v2/${at}/${operation.replace("{job}", job)}`);
        expect([status, json.code]).toEqual([404, "JOB_NOT_FOUND"]);
      }
      await expectNothingHappened();
    },
  );
});
