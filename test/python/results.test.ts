import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ASKS_FOR_JOB, PythonProcesses, withPython } from "../support/python-processes.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";

setDefaultTimeout(60_000);

let server: EndToEndServer;
beforeAll(async () => {
  server = await startEndToEnd();
});
afterAll(() => server.stop());

describe("a synchronous handler of the public SDK", () => {
  const python = new PythonProcesses();
  let endpoint: string;
  beforeAll(async () => {
    endpoint = await server.endpoint();
    await python.worker({ server, endpoint, script: "answers.py" });
  });
  afterAll(async () => {
    // What the handler raised is the only thing that went wrong.
    python.expectNoComplaint(/Captured Handler Exception|error_type/);
    await python.end();
  });

  const job = (name: string, body: () => Promise<void>): void => test(name, () => python.show(body));

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async function recordOf(input: unknown, members: Record<string, unknown> = {}): Promise<any> {
    return server.ended(endpoint, await server.run(endpoint, input, members));
  }

  job("a job with a W3C trace context, of which the SDK knows nothing, is done as any other", async () => {
    const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const { json } = await server.post(`/v2/${endpoint}/run`, { input: { return: 1 } }, headers);
    expect(await server.ended(endpoint, json.id)).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  const values: [name: string, value: unknown][] = [
    ["a dict", { text: "hello", nested: { list: [1, 2.5, null] } }],
    ["a list", [1, "two", { three: 3 }]],
    ["a string", "hello"],
    ["a number", 42],
    ["false", false],
    ["None", null],
    ["text of any script", { 日本: "Grüße, мир, 👩‍🚀", "zero\u0000": "\u2028" }],
  ];
  for (const [name, value] of values) {
    job(`returns ${name}: the job is COMPLETED with it as output`, async () => {
      expect(await recordOf({ return: value })).toEqual({
        id: expect.any(String),
        status: "COMPLETED",
        delayTime: expect.any(Number),
        executionTime: expect.any(Number),
        workerId: expect.any(String),
        output: value,
      });
    });
  }

  job("returns an empty dict: the job is COMPLETED without output", async () => {
    const record = await recordOf({ return: {} });
    expect(record.status).toBe("COMPLETED");
    expect(record).not.toHaveProperty("output");
  });

  job("returns 3 MB: the client gets all of it", async () => {
    const { status, output } = await recordOf({ letters: 3_000_000 });
    expect(status).toBe("COMPLETED");
    expect(output === "x".repeat(3_000_000)).toBe(true);
  });

  job("gets 3 MB of input, and a deep one", async () => {
    const value = { text: "é".repeat(1_500_000), deep: JSON.parse("[".repeat(400) + "]".repeat(400)) };
    const { status, output } = await recordOf({ return: value });
    expect(status).toBe("COMPLETED");
    expect(Bun.deepEquals(output, value)).toBe(true);
  });

  job("gets s3Config and unknown members of the submission untouched", async () => {
    const members = {
      s3Config: {
        accessId: "id",
        accessSecret: "s3cr3t",
        bucketName: "b",
        endpointUrl: "https://s3",
        region: "x",
      },
      policy: { executionTimeout: 60_000, lowPriority: true },
      my_own: { number: 1, list: [null] },
    };
    const record = await recordOf({ job: true }, members);
    expect(record.output).toEqual({ job: { id: record.id, input: { job: true }, ...members } });
  });

  job("returns a dict with an error: the job is FAILED with it, and the rest is no output", async () => {
    const record = await recordOf({ return: { error: "out of paint", colour: "blue" } });
    expect(record).toMatchObject({ status: "FAILED", error: "out of paint" });
    expect(record).not.toHaveProperty("output");
  });

  job("returns an error that is a dict: clients get it as a string", async () => {
    const record = await recordOf({ return: { error: { code: 7, text: "ü" } } });
    expect(record).toMatchObject({ status: "FAILED" });
    expect(JSON.parse(record.error)).toEqual({ code: 7, text: "ü" });
  });

  job("raises an exception: the job is FAILED with its type, message and traceback", async () => {
    const record = await recordOf({ raise: "no such colour: grün" });
    expect(record).toMatchObject({ status: "FAILED" });
    expect(JSON.parse(record.error)).toMatchObject({
      error_type: "<class 'ValueError'>",
      error_message: "no such colour: grün",
      error_traceback: expect.stringContaining("answers.py"),
      worker_id: record.workerId,
      runpod_version: "1.12.0",
    });
  });

  job("asks for a fresh worker: the job is COMPLETED, and the wish is no part of its output", async () => {
    const record = await recordOf({ return: { refresh_worker: true, text: "done" } });
    expect(record).toMatchObject({ status: "COMPLETED", output: { text: "done" } });
    // Nobody starts a fresh one here, so the worker goes on.
    expect(await recordOf({ return: 1 })).toMatchObject({ status: "COMPLETED", workerId: record.workerId });
  });
});

test.concurrent("an asynchronous handler returns and raises", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    await python.worker({ server, endpoint, script: "async_answers.py" });
    const [returned, raised] = [
      await server.run(endpoint, { return: [1, { two: "zwei" }] }),
      await server.run(endpoint, { raise: "no" }),
    ];
    expect(await server.ended(endpoint, returned)).toMatchObject({
      status: "COMPLETED",
      output: [1, { two: "zwei" }],
    });
    const { status, error } = await server.ended(endpoint, raised);
    expect(status).toBe("FAILED");
    expect(JSON.parse(error)).toMatchObject({ error_type: "<class 'ValueError'>", error_message: "no" });
    python.expectNoComplaint(/Captured Handler Exception|error_type/);
  }),
);

test.concurrent("an idle worker waits in one call, pings, and has nothing to complain of", () =>
  withPython(async (python) => {
    const endpoint = await server.endpoint();
    const worker = await python.worker({ server, endpoint, script: "answers.py" });
    await worker.line(/Heartbeat Sent .*Status: 200/, 3);
    expect(worker.count(ASKS_FOR_JOB)).toBe(1);
    python.expectNoComplaint();
  }),
);
