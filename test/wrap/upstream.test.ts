import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ChildWorker } from "../support/child-worker.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

describe("a model server that comes and goes", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: ChildWorker;
  let upstream: Bun.Server<undefined>;
  let address: { readonly port: number; readonly origin: string };
  /** What its health path answers. */
  let health = 200;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    health = 200;
    serve();
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

  const serve = (port = 0): void => {
    upstream = Bun.serve({
      port,
      fetch: (request) =>
        request.url.endsWith("/health") ? new Response("", { status: health }) : new Response("answered"),
    });
    address = { port: Number(upstream.port), origin: upstream.url.origin };
  };
  const start = (...flags: string[]): void => {
    const url = `${address.origin}/infer`;
    worker = wrappedWorker(server, ["--endpoint", endpoint, "--http", url, ...flags]);
  };
  const run = async (): Promise<unknown> =>
    (await server.post(`/v2/${endpoint}/runsync`, { input: {} })).json;

  /** Every job is left to another worker, which has ever more to do than this one. */
  const expectNoJobTaken = async (): Promise<void> => {
    // The call that waits for a job is still under way for a moment.
    let taken = -1;
    const first = await until("it takes no job", async () => {
      expect(++taken).toBeLessThan(5);
      const id = await server.run(endpoint);
      return (await server.status(endpoint, id)).status === "IN_QUEUE" && id;
    });
    const other = await server.worker(endpoint);
    expect((await other.take()).json.id).toBe(first);
    for (let count = 0; count < 5; count++) {
      const job = await server.run(endpoint);
      expect((await other.take()).json.id).toBe(job);
    }
  };

  test("no job is taken before it answers", async () => {
    await upstream.stop(true);
    start("--start-wait", "60s");
    await worker.line("waits for");
    const job = await server.run(endpoint);
    const other = await server.worker(endpoint);
    expect((await other.take()).json.id).toBe(job);
    serve(address.port);
    expect(await run()).toMatchObject({ status: "COMPLETED", output: "answered" });
  });

  test("a job that could not be sent waits in its worker, which takes no other, and then runs", async () => {
    start("--concurrency", "99");
    await worker.line("takes jobs");
    await upstream.stop(true);
    const waiting = await server.run(endpoint);
    await worker.line("takes no jobs until it is back");
    expect(await server.status(endpoint, waiting)).toMatchObject({ status: "IN_PROGRESS" });
    await expectNoJobTaken();
    serve(address.port);
    expect(await server.ended(endpoint, waiting)).toMatchObject({ status: "COMPLETED", output: "answered" });
    await worker.line("is back; takes jobs again");
    expect(await run()).toMatchObject({ status: "COMPLETED" });
  });

  test("a job that waits for it can be cancelled", async () => {
    start();
    await worker.line("takes jobs");
    await upstream.stop(true);
    const waiting = await server.run(endpoint);
    await worker.line("takes no jobs until it is back");
    await server.post(`/v2/${endpoint}/cancel/${waiting}`);
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
    expect(await server.status(endpoint, waiting)).toMatchObject({ status: "CANCELLED" });
  });

  test("with --health no job is taken while it says that it cannot work", async () => {
    health = 503;
    start("--health", "/health", "--start-wait", "60s", "--concurrency", "99");
    await worker.line("health answers 503");
    health = 200;
    expect(await run()).toMatchObject({ status: "COMPLETED" });
    health = 503;
    await worker.line("takes no jobs until it is back");
    await expectNoJobTaken();
    health = 200;
    expect(await run()).toMatchObject({ status: "COMPLETED" });
    await until("it said so", () => worker.lines.some((line) => line.includes("is back")));
  });

  test("a connection that it ends before it answers fails the job: it may have run", async () => {
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.terminate();
        },
      },
    });
    try {
      const url = `http://127.0.0.1:${listener.port}/`;
      worker = wrappedWorker(server, ["--endpoint", endpoint, "--http", url]);
      expect(await run()).toMatchObject({
        status: "FAILED",
        error: expect.stringContaining(`${url} ended the connection before it answered`),
      });
    } finally {
      listener.stop(true);
    }
  });
});
