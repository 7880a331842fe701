import { afterEach, describe, expect, test } from "bun:test";
import type { Handler } from "@forebay/worker";
import { startWith } from "../support/sdk-worker.ts";
import { until } from "../support/until.ts";

type Answer = (request: Request, call: number) => Response | Promise<Response>;

describe("a server that does not do what it should", () => {
  let server: Bun.Server<undefined>;
  let worker: Promise<void>;
  const calls: string[] = [];
  afterEach(async () => {
    process.emit("SIGTERM");
    await worker;
    await server.stop(true);
    calls.length = 0;
  });

  /** Starts a worker of a server that answers as told; `call` counts the calls of the same path. */
  function start(protocol: "exchange" | "public", handler: Handler, answer: Answer): void {
    server = Bun.serve({
      port: 0,
      fetch(request) {
        const path = new URL(request.url).pathname;
        calls.push(path);
        return answer(request, calls.filter((other) => other === path).length);
      },
    });
    const base = `http://127.0.0.1:${server.port}`;
    const environment = {
      FOREBAY_EXCHANGE_URL: `${base}/exchange`,
      FOREBAY_WORKER_TOKEN: "t",
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$ID?`,
      RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$ID?`,
      RUNPOD_WEBHOOK_PING: `${base}/ping`,
      RUNPOD_AI_API_KEY: "t",
      RUNPOD_POD_ID: "w",
    };
    worker = startWith(environment, { protocol, handler });
  }

  const job = { id: "a", input: {} };
  const nothing = { jobs: [], stop: [], ignored: [] };
  const unanswered = (): Promise<Response> => new Promise(() => undefined);
  let release = (): void => undefined;
  /** Holds an exchange until the next one is held. */
  const held = (): Promise<Response> => {
    release();
    return new Promise((resolve) => (release = () => resolve(Response.json(nothing))));
  };

  test.each(["exchange", "public"] as const)(
    "and answers %s calls at once instead of holding them is not asked all the time",
    async (protocol) => {
      start(
        protocol,
        () => 1,
        () => (protocol === "exchange" ? Response.json(nothing) : new Response(null, { status: 204 })),
      );
      const since = performance.now();
      await until("half a second passes", () => performance.now() - since > 500);
      // Two loops of the public protocol, each with windows of 100, 200, 400 ms.
      const passed = performance.now() - since;
      expect(calls.length).toBeGreaterThan(1);
      expect(calls.length).toBeLessThan((40 * passed) / 500);
    },
  );

  test("and fails, or is hidden by a proxy, gets the result again until it has it", async () => {
    const results: unknown[] = [];
    start(
      "exchange",
      () => "kept",
      async (request, call) => {
        const body = (await request.json()) as { results: unknown[] };
        if (call === 1) return Response.json({ ...nothing, jobs: [{ attempt: 1, job }] });
        if (body.results.length === 0) return held();
        results.push(body.results);
        if (results.length === 1) return Response.json({ error: "full" }, { status: 503 });
        if (results.length === 2)
          return new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } });
        if (results.length === 3) return new Response("<h1>Bad gateway</h1>", { status: 502 });
        if (results.length === 4)
          return Response.json({ error: "slow down" }, { status: 429, headers: { "retry-after": "1" } });
        return Response.json(nothing);
      },
    );
    await until("it has the result", () => results.length === 5);
    for (const told of results) expect(told).toEqual([{ id: "a", attempt: 1, output: "kept" }]);
  });

  test("and refuses a result of the public protocol gets the reason why there is none", async () => {
    const bodies: string[] = [];
    start(
      "public",
      () => "too much for it",
      async (request, call) => {
        const path = new URL(request.url).pathname;
        if (path === "/job-take/w") return call === 1 ? Response.json(job) : unanswered();
        if (path !== "/job-done/a") return path === "/ping" ? new Response("") : unanswered();
        bodies.push(await request.text());
        return bodies.length === 1
          ? Response.json({ error: "payload too large" }, { status: 400 })
          : new Response("stored");
      },
    );
    await until("it is told", () => bodies.length === 2);
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { output: "too much for it" },
      { error: "the output of the handler could not be stored: payload too large" },
    ]);
  });
});
