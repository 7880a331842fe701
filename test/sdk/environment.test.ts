import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StartOptions } from "@forebay/worker";
import { startWith } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";

describe("the environment of a worker", () => {
  const exchange = { FOREBAY_EXCHANGE_URL: "http://127.0.0.1:1/e", FOREBAY_WORKER_TOKEN: "t" };
  const pub = {
    RUNPOD_WEBHOOK_GET_JOB: "http://127.0.0.1:1/job-take/$ID?x",
    RUNPOD_WEBHOOK_POST_OUTPUT: "http://127.0.0.1:1/job-done/$RUNPOD_POD_ID/$ID?x",
    RUNPOD_WEBHOOK_POST_STREAM: "http://127.0.0.1:1/job-stream/$RUNPOD_POD_ID/$ID?x",
    RUNPOD_WEBHOOK_PING: "http://127.0.0.1:1/ping/$RUNPOD_POD_ID",
    RUNPOD_AI_API_KEY: "k",
  };
  const handler = () => 1;
  const faults: [
    what: string,
    environment: Record<string, string>,
    options: Partial<StartOptions>,
    sentence: string,
  ][] = [
    ["nothing is set", {}, {}, "neither FOREBAY_EXCHANGE_URL nor RUNPOD_WEBHOOK_GET_JOB is set"],
    [
      "the token is missing",
      { FOREBAY_EXCHANGE_URL: "http://127.0.0.1:1/e" },
      {},
      "lacks FOREBAY_WORKER_TOKEN",
    ],
    [
      "an address is none",
      { ...exchange, FOREBAY_EXCHANGE_URL: "x" },
      {},
      "FOREBAY_EXCHANGE_URL must be an http",
    ],
    ["the protocol is unknown", { FOREBAY_PROTOCOL: "grpc" }, {}, "must be exchange or public, got grpc"],
    ["public is asked for without it", exchange, { protocol: "public" }, "lacks RUNPOD_WEBHOOK_GET_JOB"],
    ["exchange is asked for without it", pub, { protocol: "exchange" }, "lacks FOREBAY_EXCHANGE_URL"],
    [
      "public is named without it",
      { ...exchange, FOREBAY_PROTOCOL: "public" },
      {},
      "lacks RUNPOD_WEBHOOK_GET_JOB",
    ],
    [
      "only the public variables are there, not all",
      { ...pub, RUNPOD_WEBHOOK_PING: "" },
      {},
      "lacks RUNPOD_WEBHOOK_PING",
    ],
    [
      "the interval is none",
      { ...pub, RUNPOD_PING_INTERVAL: "0.5" },
      {},
      "RUNPOD_PING_INTERVAL must be a number",
    ],
    ["concurrency is no number of slots", exchange, { concurrency: 0 }, "concurrency must be a whole number"],
    [
      "the handler is none",
      exchange,
      { handler: "x" as unknown as () => void },
      "handler must be a function",
    ],
  ];
  test.each(faults)("%s: start rejects with a sentence", async (_what, environment, options, sentence) => {
    await expect(startWith(environment, { handler, ...options })).rejects.toThrow(sentence);
  });
});

describe("workers that share a token", () => {
  let server: TestServer;
  let endpoint: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`, { many: true });
    environment = json.env;
  });
  afterAll(() => server.stop());

  test.each([
    ["exchange", {}],
    ["public", { FOREBAY_PROTOCOL: "public" }],
    ["public", { FOREBAY_EXCHANGE_URL: "" }],
  ] as const)("each choose an id of their own (%s)", async (_protocol, more) => {
    const begun: (() => void)[] = [];
    const { promise: bothRun, resolve } = Promise.withResolvers<void>();
    const handler = () => new Promise<void>((end) => begun.push(end) === 2 && resolve());
    const workers = [1, 2].map(() => startWith({ ...environment, ...more }, { handler }));
    const ids = [await server.run(endpoint), await server.run(endpoint)];
    await bothRun;
    for (const end of begun) end();
    const records = await Promise.all(
      ids.map(async (id) => (await server.get(`/v2/${endpoint}/status-sync/${id}`)).json),
    );
    expect(records).toMatchObject([{ status: "COMPLETED" }, { status: "COMPLETED" }]);
    expect(records[0].workerId).not.toBe(records[1].workerId);
    process.emit("SIGTERM");
    await Promise.all(workers);
  });
});
