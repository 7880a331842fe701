import { describe, expect, test } from "bun:test";
import type { Handler } from "@forebay/worker";
import { freshServer } from "../support/fresh-server.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe.each(PROTOCOLS)("a handler over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.stop() });

  const start = async <Input>(handler: Handler<Input>, concurrency = 1): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, { handler, concurrency, protocol });
  };
  /** Submits a job and answers its record once it has ended. */
  const run = async (input: unknown = {}, members: Record<string, unknown> = {}): Promise<unknown> => {
    const { json } = await server.post(`/v2/${endpoint}/runsync`, { input, ...members });
    return json;
  };

  const outputs: [what: string, returned: unknown, record: Record<string, unknown>][] = [
    ["an object", { a: [1, { b: null }] }, { status: "COMPLETED", output: { a: [1, { b: null }] } }],
    ["a list", [1, "two"], { status: "COMPLETED", output: [1, "two"] }],
    ["a text", "text", { status: "COMPLETED", output: "text" }],
    ["zero", 0, { status: "COMPLETED", output: 0 }],
    ["false", false, { status: "COMPLETED", output: false }],
    ["null", null, { status: "COMPLETED", output: null }],
    ["a date", new Date(0), { status: "COMPLETED", output: "1970-01-01T00:00:00.000Z" }],
    ["nothing", undefined, { status: "COMPLETED" }],
    ["an empty object", {}, { status: "COMPLETED" }],
    ["an error", { error: "no" }, { status: "FAILED", error: "no" }],
    ["an error as an object", { error: { code: 1 } }, { status: "FAILED", error: '{"code":1}' }],
    ["an error beside an output", { error: "no", a: 1 }, { status: "FAILED", error: "no" }],
    ["an empty error beside an output", { error: "", a: 1 }, { status: "COMPLETED", output: { a: 1 } }],
    ["Unicode", { "é – 二": "\u{1f600} \ud800 \u2028" }, { output: { "é – 二": "\u{1f600} \ud800 \u2028" } }],
  ];
  test.each(outputs)("that returns %s, at once or as a promise", async (_what, returned, record) => {
    await start(() => returned);
    expect(await run()).toMatchObject({ ...record, workerId: worker.id });
    await worker.stop();
    await start(async () => {
      await Promise.resolve();
      return returned;
    });
    const json = await run();
    expect(json).toMatchObject({ ...record, workerId: worker.id });
    expect(json).not.toHaveProperty("output" in record ? "error" : "output");
  });

  const failures: [how: string, handler: Handler][] = [
    [
      "throws",
      () => {
        throw new RangeError("wrong – 二");
      },
    ],
    ["rejects", () => Promise.reject(new RangeError("wrong – 二"))],
    [
      "throws between two yields",
      function* () {
        yield 1;
        throw new RangeError("wrong – 二");
      },
    ],
    ["returns an exception as error", () => ({ error: new RangeError("wrong – 二") })],
  ];
  test.each(failures)("that %s fails its job with what is known of the exception", async (_how, handler) => {
    await start(handler);
    const record = (await run()) as { status: string; error: string };
    expect(record.status).toBe("FAILED");
    expect(JSON.parse(record.error)).toEqual({
      error_type: "RangeError",
      error_message: "wrong – 二",
      error_traceback: expect.stringContaining("handlers.test.ts"),
      worker_id: worker.id,
    });
  });

  test("whose output JSON cannot carry fails its job, and the worker goes on", async () => {
    await start<{ bad: boolean }>(({ input }) => (input.bad ? { n: 1n } : "good"));
    expect(await run({ bad: true })).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("TypeError"),
    });
    expect(await run({ bad: false })).toMatchObject({ status: "COMPLETED", output: "good" });
  });

  test("gets the whole job: id, input, s3Config, webhook, policy and further members", async () => {
    await start((job) => job);
    const members = {
      webhook: "https://a.example/hook",
      policy: { ttl: 20_000, lowPriority: true },
      s3Config: { accessId: "a", accessSecret: "s", bucketName: "b", endpointUrl: "u", objectPath: "p" },
      webhookV2: "x",
      "a – 二": [1, { b: null }],
    };
    const record = (await run({ name: "é – 二 \u{1f600}" }, members)) as { id: string; output: unknown };
    expect(record.output).toEqual({ id: record.id, input: { name: "é – 二 \u{1f600}" }, ...members });
  });

  test("takes and returns 3 MB", async () => {
    const text = "é – 二".repeat(320_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(3_000_000);
    await start<{ text: string }>(({ input }) => [input.text]);
    expect(await run({ text })).toMatchObject({ status: "COMPLETED", output: [text] });
  });

  test("that returns more than the server takes fails its job with the reason", async () => {
    await start<{ size: number }>(({ input }) => "x".repeat(input.size));
    expect(await run({ size: 26 * 1_048_576 })).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("the server takes at most 26214400"),
    });
    expect(await run({ size: 1 })).toMatchObject({ status: "COMPLETED", output: "x" });
  });

  test("that returns what the server refuses fails its job with the reason, beside others", async () => {
    const nested = JSON.parse("[".repeat(600) + "]".repeat(600));
    await start<{ bad: boolean }>(({ input }) => (input.bad ? nested : "good"), 4);
    const records = await Promise.all([false, true, false, true, false].map((bad) => run({ bad })));
    expect(records).toMatchObject(
      [false, true, false, true, false].map((bad) =>
        bad
          ? { status: "FAILED", error: expect.stringContaining("nested deeper") }
          : { status: "COMPLETED", output: "good" },
      ),
    );
  });

  test("runs as often at the same time as concurrency says, and no more", async () => {
    const begun: (() => void)[] = [];
    let most = 0;
    let running = 0;
    const { promise: fourRun, resolve } = Promise.withResolvers<void>();
    await start(async () => {
      most = Math.max(most, ++running);
      if (begun.length < 4) await new Promise<void>((end) => begun.push(end) === 4 && resolve());
      running--;
    }, 4);
    const ended = Promise.all(Array.from({ length: 12 }, () => run()));
    await fourRun;
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inProgress).toBe(4);
    for (const end of begun) end();
    expect((await ended).length).toBe(12);
    expect(most).toBe(4);
  });

  test("is not handed more jobs than there are slots, however long its results are under way", async () => {
    let most = 0;
    const output = "x".repeat(3_000_000);
    await start(async () => {
      const counts = await server.forebay.engine.store.counts(endpoint);
      most = Math.max(most, counts?.running ?? 0);
      return output;
    }, 6);
    const records = await Promise.all(Array.from({ length: 24 }, () => run()));
    expect(records).toMatchObject(Array.from({ length: 24 }, () => ({ output })));
    expect(most).toBe(6);
  });

  test("that reports progress shows the newest value while the job runs", async () => {
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const { promise: may, resolve: end } = Promise.withResolvers<void>();
    await start(async (_job, { progress }) => {
      for (let step = 0; step <= 100; step++) progress({ step, note: "é – 二" });
      tell();
      await may;
      return "done";
    });
    const id = await server.run(endpoint);
    await told;
    const status = async () => (await server.get(`/sdk/v2/${endpoint}/status/${id}`)).json;
    await until("the newest value", async () => (await status()).output?.step === 100);
    expect(await status()).toMatchObject({ status: "IN_PROGRESS", output: { step: 100, note: "é – 二" } });
    end();
    const { json } = await server.get(`/v2/${endpoint}/status-sync/${id}`);
    expect(json).toMatchObject({ status: "COMPLETED", output: "done" });
  });
});
