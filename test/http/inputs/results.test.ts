import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TriedServer } from "../../support/input-trial.ts";
import type { TestServer } from "../../support/test-server.ts";
import type { TestWorker } from "../../support/test-worker.ts";

const MB = 1_048_576;

/** A body that stands for itself, in JSON that is built around it byte by byte. */
const around = (head: string, middle: Uint8Array | string, tail: string): Uint8Array =>
  Buffer.concat([Buffer.from(head), Buffer.from(middle), Buffer.from(tail)]);

/** A result over each protocol, as bytes of `{"output": …}` or the like. */
const PROTOCOLS: Readonly<
  Record<string, (worker: TestWorker, job: string, members: Uint8Array) => Promise<number>>
> = {
  public: async (worker, job, members) => (await worker.done(job, around("{", members, "}"))).status,
  exchange: async (worker, job, members) => {
    const body = around(`{"results":[{"id":"${job}","attempt":1,`, members, "}]}");
    const response = await fetch((worker.env["FOREBAY_EXCHANGE_URL"] ?? "").replace("$ID", worker.id), {
      method: "POST",
      headers: { authorization: worker.env["FOREBAY_WORKER_TOKEN"] ?? "" },
      body,
    });
    return response.status;
  },
};

const started = async (server: TestServer, endpoint: string, worker: TestWorker): Promise<string> => {
  const id = await server.run(endpoint);
  expect((await worker.take()).json.id).toBe(id);
  return id;
};

describe("input 25: results", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  for (const [protocol, send] of Object.entries(PROTOCOLS)) {
    test.each([
      ['"output":null', { status: "COMPLETED", output: null }],
      ['"error":""', { status: "COMPLETED" }],
      ['"error":false', { status: "COMPLETED" }],
      ['"error":0.0', { status: "COMPLETED" }],
      ['"error":"no"', { status: "FAILED", error: "no" }],
      ['"error":{"a": [1, "\\"\\n"]}', { status: "FAILED", error: '{"a": [1, "\\"\\n"]}' }],
      ['"error":[ "é😀",\t1e999 ]', { status: "FAILED", error: '[ "é😀",\t1e999 ]' }],
      ['"error":true', { status: "FAILED", error: "true" }],
      ['"error":1', { status: "FAILED", error: "1" }],
      ['"output":1,"error":"no"', { status: "FAILED", error: "no" }],
    ])(`input 25: over the ${protocol} protocol, %s`, (members, record) =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        expect(await send(worker, id, Buffer.from(members))).toBe(200);
        const found = await server.status(endpoint, id);
        expect(found).toMatchObject({ id, ...record });
        expect("output" in found).toBe("output" in record);
        expect("error" in found).toBe("error" in record);
        return record.status === "FAILED" ? { failed: 1 } : { completed: 1 };
      }),
    );

    test(`input 25: over the ${protocol} protocol, JSON of megabytes as error is given as text`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        const error = `{"a":"${'\\"é'.repeat(500_000)}"}`;
        expect(await send(worker, id, Buffer.from(`"error":${error}`))).toBe(200);
        expect((await server.status(endpoint, id)).error === error).toBe(true);
        return { failed: 1 };
      }));

    test(`input 25: over the ${protocol} protocol, a result above 25 MB ends its job FAILED at once`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        expect(await send(worker, id, around('"output":"', Buffer.alloc(26 * MB, "x"), '"'))).toBe(200);
        const { status, error } = await server.status(endpoint, id);
        expect([status, error]).toEqual(["FAILED", expect.stringContaining("the result could not be kept")]);
        expect(error).toContain("larger than");
        return { failed: 1 };
      }));
  }

  const UNKEPT: Readonly<Record<string, string | Uint8Array>> = {
    "nothing at all": "",
    "what is no JSON": "nonsense",
    "what Python writes for a float": '{"output":NaN}',
    "a list": "[1]",
    "bytes that are no UTF-8": around('{"output":"', Buffer.of(0xff), '"}'),
    "nesting of 600": `{"output":${"[".repeat(600)}${"]".repeat(600)}}`,
    "a body that ends too early": '{"output":1',
  };
  for (const [what, body] of Object.entries(UNKEPT)) {
    test(`input 25: ${what} as result ends its job FAILED at once, never COMPLETED`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        expect((await worker.done(id, body)).status).toBe(200);
        const { status, error } = await server.status(endpoint, id);
        expect([status, error]).toEqual(["FAILED", expect.stringContaining("the result could not be kept")]);
        return { failed: 1 };
      }));

    test(`input 25: ${what} as chunk ends its job FAILED at once: its readers would miss it`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        expect((await worker.stream(id, body)).status).toBe(200);
        const { status, error } = await server.status(endpoint, id);
        expect([status, error]).toEqual(["FAILED", expect.stringContaining("the chunk could not be kept")]);
        return { failed: 1 };
      }));

    test(`input 25: ${what} for a job that is not this worker's is answered 200 and changes nothing`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const waiting = await server.run(endpoint);
        const other = await server.worker(endpoint);
        await other.done(waiting, body);
        const running = (await worker.take()).json.id;
        for (const job of [running, "no-such-job"]) {
          expect((await other.done(job, body)).status).toBe(200);
          expect((await other.stream(job, body)).status).toBe(200);
        }
        expect(await server.status(endpoint, running)).toMatchObject({ status: "IN_PROGRESS" });
        return { inProgress: 1 };
      }));
  }

  for (const [what, body] of Object.entries(UNKEPT).filter(
    ([, body]) => body[0] === "{" || body[0] === 0x7b,
  )) {
    test(`input 25: ${what} in an exchange is refused whole; the job runs on`, () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const id = await started(server, endpoint, worker);
        const members = Buffer.from(body).subarray(1, -1);
        expect(await PROTOCOLS["exchange"]?.(worker, id, members)).toBe(400);
        expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
        return { inProgress: 1 };
      }));
  }

  test("input 25: progress on the path of results ends nothing", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const id = await started(server, endpoint, worker);
      await worker.done(id, '{"status":"IN_PROGRESS","output":1}');
      expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
      await worker.done(id, `{"status":${"[".repeat(400)}${"]".repeat(400)},"output":2}`);
      expect(await server.status(endpoint, id)).toMatchObject({ status: "COMPLETED", output: 2 });
      return { completed: 1 };
    }));

  test("input 25: what comes twice, or after cancel, retry or purge, changes nothing", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const at = `/v2/${endpoint}`;
      const twice = await started(server, endpoint, worker);
      await worker.done(twice, { output: 1 });
      expect((await worker.done(twice, { output: 2 })).status).toBe(200);
      expect(await server.status(endpoint, twice)).toMatchObject({ status: "COMPLETED", output: 1 });

      const cancelled = await started(server, endpoint, worker);
      await server.post(`${at}/cancel/${cancelled}`);
      expect((await worker.done(cancelled, { output: 1 })).status).toBe(200);
      expect(await server.status(endpoint, cancelled)).toMatchObject({ status: "CANCELLED" });

      const retried = await started(server, endpoint, worker);
      await worker.done(retried, { error: "no" });
      await server.post(`${at}/retry/${retried}`);
      expect((await worker.done(retried, { output: 1 })).status).toBe(200);
      expect(await server.status(endpoint, retried)).toMatchObject({ status: "IN_QUEUE" });

      await server.post(`${at}/purge-queue`);
      expect((await worker.done(retried, { output: 1 })).status).toBe(200);
      expect((await server.get(`${at}/status/${retried}`)).status).toBe(404);
      return { completed: 1, failed: 1, retried: 1 };
    }));

  test("input 25: a result with a wrong token is 401, and changes nothing", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const id = await started(server, endpoint, worker);
      const elsewhere = await server.worker(await server.endpoint());
      for (const authorization of ["nonsense", elsewhere.env["RUNPOD_AI_API_KEY"] ?? ""]) {
        const path = `/v2/${endpoint}/job-done/${worker.id}/${id}`;
        expect((await server.post(path, '{"output":1}', { authorization })).status).toBe(401);
      }
      expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
      return { inProgress: 1 };
    }));
});
