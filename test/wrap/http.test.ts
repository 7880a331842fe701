import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ChildWorker } from "../support/child-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

/** What a model server in the test answers, by path. */
const ANSWERS: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
  "/echo": async (request) => Response.json({ said: await request.json(), method: request.method }),
  "/headers": (request) => Response.json([request.headers.get("x-a"), request.headers.get("content-type")]),
  "/text": () => new Response("plain – text"),
  "/nothing": () => new Response(null, { status: 204 }),
  "/png": () => new Response(new Uint8Array([137, 80, 78, 71]), { headers: { "content-type": "image/png" } }),
  "/large": () => new Response(JSON.stringify({ text: "x".repeat(1_000_000) })),
  "/too-large": () => new Response("x".repeat(26 * 1_048_576)),
  "/broken": () => new Response(`the model is broken ${"x".repeat(5_000)}`, { status: 500 }),
  "/invalid": () => Response.json({ error: "the prompt is empty" }, { status: 400 }),
  "/error": () => Response.json({ error: { message: "out of memory" } }),
  "/events": () => stream("text/event-stream; charset=utf-8", EVENTS),
  "/lines": () => stream("application/x-ndjson", ['{"a":1}\n{"a"', ":2}\r\n\n", '{"a":3}']),
  "/plain-lines": () => stream("text/plain", ["one\n", "two\n"]),
  "/failing-lines": () => stream("application/x-ndjson", ['{"a":1}\n', '{"error":"no memory"}\n']),
};

const EVENTS = [
  ': a comment\nevent: message\ndata: {"text": "to"}\n\n',
  "data: plain\ndata: text\n\nda",
  'ta: {"text": "be"}\r\n\r\ndata: [DONE]\n\n',
  "data: not any more\n\n",
];

function stream(type: string, pieces: readonly string[]): Response {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      yield new TextEncoder().encode(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return new Response(body(), { headers: { "content-type": type } });
}

describe("forebay worker --http", () => {
  let server: TestServer;
  let endpoint: string;
  let upstream: Bun.Server<undefined>;
  let worker: ChildWorker;
  /** Requests that never end: how many are open. */
  let open = 0;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    open = 0;
    upstream = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch(request) {
        const path = new URL(request.url).pathname;
        if (path !== "/never")
          return ANSWERS[path]?.(request) ?? new Response("no such path", { status: 404 });
        open++;
        return new Promise((_resolve, reject) => {
          request.signal.addEventListener("abort", () => {
            open--;
            reject(new Error("the worker hung up"));
          });
        });
      },
    });
  });
  afterEach(async () => {
    try {
      worker.signal("SIGTERM");
      expect(await worker.exit()).toBe(0);
    } finally {
      await worker.kill();
      await upstream.stop(true);
      await server.stop();
    }
  });

  const start = async (path: string, ...flags: string[]): Promise<void> => {
    const args = ["--endpoint", endpoint, "--http", `${upstream.url.origin}${path}`, ...flags];
    worker = wrappedWorker(server, args);
    await worker.line("takes jobs");
  };
  const run = async (input: unknown = {}): Promise<Record<string, unknown>> => {
    const { json } = await server.post(`/v2/${endpoint}/runsync`, { input });
    return json;
  };
  const chunksOf = async (id: unknown): Promise<unknown> =>
    (await server.get(`/v2/${endpoint}/stream/${String(id)}`)).json;

  const outputs: [what: string, path: string, output: unknown][] = [
    ["JSON is the output", "/echo", { said: { prompt: "é – 二" }, method: "POST" }],
    ["text that is not JSON is the output as it is", "/text", "plain – text"],
    ["no content is no output", "/nothing", undefined],
    ["bytes are given in base64 with their type", "/png", { contentType: "image/png", base64: "iVBORw==" }],
    ["1 MB arrives whole", "/large", { text: "x".repeat(1_000_000) }],
  ];
  test.each(outputs)("%s", async (_what, path, output) => {
    await start(path);
    const { status, output: got } = await run({ prompt: "é – 二" });
    expect(status).toBe("COMPLETED");
    expect(got).toEqual(output);
  });

  test("a template makes the body, and values keep their types", async () => {
    const template = {
      model: "llama3",
      options: { n: "{{input.n}}", list: ["{{ input.list.1 }}", true] },
      prompt: "Say {{input.prompt}} {{input.n}} times, {{input.list}}",
      all: "{{input}}",
      job: "{{id}}",
    };
    await start("/echo", "--template", JSON.stringify(template), "--method", "put");
    const input = { prompt: "hé", n: 3, list: [1, { a: null }] };
    const { id, output } = await run(input);
    expect(output).toEqual({
      method: "PUT",
      said: {
        model: "llama3",
        options: { n: 3, list: [{ a: null }, true] },
        prompt: 'Say hé 3 times, [1,{"a":null}]',
        all: input,
        job: id,
      },
    });
    expect(await run({ prompt: "x" })).toMatchObject({
      status: "FAILED",
      error: "the job has no input.n, which the template of the worker requires.",
    });
  });

  test("headers are sent along", async () => {
    await start("/headers", "--header", "X-A: b: c", "--header", "Content-Type: application/x-a");
    expect(await run()).toMatchObject({ output: ["b: c", "application/x-a"] });
  });

  const failures: [what: string, path: string, error: unknown][] = [
    [
      "500 fails the job with the first part of the body",
      "/broken",
      /answered 500: the model is broken x{980}$/,
    ],
    ["400 fails the job with the body", "/invalid", /answered 400: \{"error":"the prompt is empty"\}$/],
    ["an error in a 200 fails the job", "/error", /^\{"message":"out of memory"\}$/],
    ["more than the server takes fails the job", "/too-large", /^the output has more than 26214400 bytes/],
  ];
  test.each(failures)("%s, and the worker goes on", async (_what, path, error) => {
    await start(path);
    for (let count = 0; count < 2; count++) {
      expect(await run()).toMatchObject({ status: "FAILED", error: expect.stringMatching(error as RegExp) });
    }
  });

  const streams: [what: string, path: string, flags: string[], chunks: unknown[]][] = [
    ["server-sent events", "/events", [], [{ text: "to" }, "plain\ntext", { text: "be" }]],
    ["JSON lines", "/lines", [], [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ["lines of text with --lines", "/plain-lines", ["--lines"], ["one", "two"]],
  ];
  test.each(streams)("%s are chunks, and their list is the output", async (_what, path, flags, chunks) => {
    await start(path, ...flags);
    const { id, output } = await run();
    expect(output).toEqual(chunks);
    expect(await chunksOf(id)).toEqual(chunks.map((chunk) => ({ output: chunk })));
  });

  test("with --no-aggregate the output of a job with chunks is empty", async () => {
    await start("/lines", "--no-aggregate");
    const { id, output } = await run();
    expect(output).toEqual([]);
    expect(await chunksOf(id)).toEqual([{ output: { a: 1 } }, { output: { a: 2 } }, { output: { a: 3 } }]);
  });

  test("an error in a stream fails the job, and the chunks before it stay", async () => {
    await start("/failing-lines");
    const { id, status, error } = await run();
    expect([status, error]).toEqual(["FAILED", "no memory"]);
    expect(await chunksOf(id)).toEqual([{ output: { a: 1 } }]);
  });

  test("jobs run at the same time, as many as --concurrency says; a cancelled one hangs up", async () => {
    await start("/never", "--concurrency", "3");
    const jobs = await Promise.all([1, 2, 3, 4].map(() => server.run(endpoint)));
    await until("three requests are open", () => open === 3);
    const running = await Promise.all(jobs.map((job) => server.status(endpoint, job)));
    expect(running.filter(({ status }) => status === "IN_QUEUE").length).toBe(1);
    for (const job of jobs) await server.post(`/v2/${endpoint}/cancel/${job}`);
    await until("no request is open", () => open === 0);
  });

  test("a job that times out hangs up", async () => {
    await start("/never");
    const { json } = await server.post(`/v2/${endpoint}/run`, {
      input: {},
      policy: { executionTimeout: 5_001 },
    });
    await until("the request is open", () => open === 1);
    await until("no request is open", () => open === 0);
    expect(await server.status(endpoint, json.id)).toMatchObject({ status: "TIMED_OUT" });
  });

  test("SIGTERM lets a request end, a second one hangs up", async () => {
    await start("/never");
    await server.run(endpoint);
    await until("the request is open", () => open === 1);
    worker.signal("SIGTERM");
    await worker.line("takes no more jobs");
    const first = performance.now();
    await until("the next signal is another one", () => performance.now() - first > 350);
    expect(open).toBe(1);
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
    expect(open).toBe(0);
  });
});
