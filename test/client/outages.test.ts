import { afterEach, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Forebay, ForebayError } from "@forebay/worker/client";
import { ManualClock } from "../support/manual-clock.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { UNDELIVERED } from "../model/steps.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, call: number) => unknown;

describe("a client whose server is busy, away or hidden", () => {
  const open: Server[] = [];
  const paths: string[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    paths.length = 0;
  });

  /** A server that answers as told; `call` counts its calls from 1 on. */
  async function listen(handler: Handler): Promise<string> {
    const server = createServer((request, response) => {
      void handler(request, response, paths.push(request.url ?? ""));
    });
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  const endpointAt = (url: string, patience?: number) =>
    new Forebay({ url, key: TEST_KEY, ...(patience === undefined ? {} : { patience }) }).endpoint("e");

  function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  const busy = { error: "Too many requests.", code: "RATE_LIMITED", status: 429 };
  const stopping = { error: "The server is stopping.", code: "SHUTTING_DOWN", status: 503 };

  test("7 fact 3: repeats a submission after the time that a 429 names", async () => {
    const url = await listen((_, response, call) =>
      call === 1
        ? answer(response, 429, busy, { "retry-after": "1" })
        : answer(response, 200, { id: "a", status: "IN_QUEUE" }),
    );
    const startedAt = performance.now();
    expect(await endpointAt(url).run({})).toEqual({ id: "a", status: "IN_QUEUE" });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(paths).toEqual(["/sdk/v2/e/run", "/sdk/v2/e/run"]);
  });

  test("waits out the rate limit of a server for as long as it says", async () => {
    const clock = new ManualClock();
    const server = await TestServer.start({ clock });
    const statuses: number[] = [];
    const url = await listen(async ({ url: path }, response) => {
      const answered = await server.get(path ?? "");
      statuses.push(answered.status);
      const retryAfter = answered.headers.get("retry-after");
      answer(
        response,
        answered.status,
        answered.text,
        retryAfter === null ? {} : { "retry-after": retryAfter },
      );
      // For the server the two seconds that it named are over; the client waits them by its own clock.
      await clock.advance(1_500);
    });
    try {
      const id = await server.endpoint();
      for (let n = 0; n < 10; n++) await server.get(`/v2/${id}/requests`);
      await clock.advance(8_500);
      const { requests } = await new Forebay({ url, key: TEST_KEY }).endpoint(id).requests();
      expect(requests).toEqual([]);
      expect(statuses).toEqual([429, 200]);
    } finally {
      await server.stop();
    }
  });

  test("repeats a submission where a 503 names no time", async () => {
    const url = await listen((_, response, call) =>
      call < 4 ? answer(response, 503, stopping) : answer(response, 200, { id: "a", status: "IN_QUEUE" }),
    );
    expect(await endpointAt(url).run({})).toMatchObject({ id: "a" });
    expect(paths.length).toBe(4);
  });

  test("gives up at once where the time named is beyond its patience, and after it otherwise", async () => {
    const url = await listen((_, response, call) =>
      answer(response, 429, busy, call === 1 ? { "retry-after": "3600" } : {}),
    );
    expect(await codeOf(endpointAt(url).run({}))).toEqual(["RATE_LIMITED", 429]);
    expect(paths.length).toBe(1);
    expect(await codeOf(endpointAt(url, 300).health())).toEqual(["RATE_LIMITED", 429]);
    expect(paths.length).toBeGreaterThan(2);
    expect(await codeOf(endpointAt(url).health({ patience: 0 }))).toEqual(["RATE_LIMITED", 429]);
  });

  test("repeats a read after a broken connection, and after a proxy's 502", async () => {
    const url = await listen((request, response, call) => {
      if (call === 1) request.socket.destroy();
      else if (call === 2) answer(response, 502, "<h1>Bad gateway</h1>");
      else answer(response, 200, { id: "a", status: "COMPLETED" });
    });
    expect(await endpointAt(url).status("a")).toEqual({ id: "a", status: "COMPLETED" });
  });

  test.each(["retry", "purge"] as const)(
    "does not repeat %s after a broken connection: nobody knows whether it was done",
    async (name) => {
      const url = await listen((request) => request.socket.destroy());
      const endpoint = endpointAt(url);
      const call = {
        retry: () => endpoint.retry("a"),
        purge: () => endpoint.purge(),
      }[name];
      expect(await codeOf(call())).toEqual(["UNREACHABLE", 0]);
      expect(paths.length).toBe(1);
    },
  );

  test("repeats a submission after a broken connection, and makes one job", async () => {
    const server = await TestServer.start();
    try {
      const endpoint = await server.endpoint();
      // Passes each call on, and cuts the connection of the first ones before their answer.
      const url = await listen(async (request, response, call) => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece);
        const { method = "", headers } = request;
        const passedOn = await fetch(`${server.url}${request.url ?? ""}`, {
          method,
          headers: {
            authorization: headers.authorization ?? "",
            "idempotency-key": String(headers["idempotency-key"]),
          },
          body: Buffer.concat(pieces),
        });
        const text = await passedOn.text();
        if (call < 3) request.socket.destroy();
        else answer(response, passedOn.status, text);
      });
      const client = new Forebay({ url, key: TEST_KEY }).endpoint(endpoint);
      const { id } = await client.run({ n: 1 });
      expect((await client.run({ n: 1 })).id).not.toBe(id);
      const again = { idempotencyKey: "mine" };
      expect((await client.run({ n: 2 }, again)).id).toBe((await client.run({ n: 2 }, again)).id);
      expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(3);
    } finally {
      await server.stop();
    }
  });

  test("says who answered when it was no Forebay server", async () => {
    const url = await listen((_, response) => answer(response, 200, "<h1>Welcome</h1>"));
    const error = await endpointAt(url)
      .health()
      .catch((error: unknown) => error);
    expect(String(error)).toBe(`ForebayError: ${url} is not a Forebay server: it answered 200.`);
  });

  test("a pause ends with the signal of its call", async () => {
    const controller = new AbortController();
    const url = await listen((_, response) => {
      // Longer than the test may take.
      answer(response, 503, stopping, { "retry-after": "3600" });
      setImmediate(() => controller.abort(new Error("enough")));
    });
    const patient = endpointAt(url, 7_200_000);
    await expect(patient.health({ signal: controller.signal })).rejects.toThrow("enough");
  });

  test("does not ask all the time when its calls are answered at once instead of being held", async () => {
    const url = await listen((_, response, call) =>
      answer(response, 200, { id: "a", status: call < 4 ? "IN_QUEUE" : "COMPLETED" }),
    );
    const startedAt = performance.now();
    await endpointAt(url).waitFor("a");
    // Three pauses, in windows of 100, 200 and 400 ms.
    expect(paths.length).toBe(4);
    expect(performance.now() - startedAt).toBeGreaterThan(5);
  });

  test("reads a stream over broken connections: no chunk is lost, none comes twice", async () => {
    const server = await TestServer.start();
    try {
      const id = await server.endpoint();
      const worker = await server.worker(id);
      // Every other answer gets lost on its way.
      const url = await listen(async (request, response, call) => {
        const { authorization = "" } = request.headers;
        const real = await fetch(`${server.url}${request.url}`, { headers: { authorization } });
        const text = await real.text();
        if (call % 2 === 0) request.socket.destroy();
        else answer(response, 200, text, { "x-next-chunk": real.headers.get("x-next-chunk") });
      });
      const job = await server.run(id);
      await worker.take();
      const outputs: unknown[] = [];
      const endpoint = new Forebay({ url, key: TEST_KEY }).endpoint(id);
      await worker.stream(job, { output: 0 });
      for await (const { index, output } of endpoint.stream(job)) {
        outputs.push(output);
        expect(index).toBe(outputs.length - 1);
        if (outputs.length < 6) await worker.stream(job, { output: outputs.length });
        else if (outputs.length === 6) await worker.done(job, { output: [] });
      }
      expect(outputs).toEqual([0, 1, 2, 3, 4, 5]);
      expect(paths.length).toBeGreaterThan(8);
    } finally {
      await server.stop();
    }
  });

  test("waits on while the server restarts", async () => {
    await using data = await temporaryDirectory();
    let server = await TestServer.start({ flags: { data: data.path } });
    try {
      const id = await server.endpoint();
      const worker = await server.worker(id);
      const job = await server.run(id);
      await worker.take();
      const endpoint = new Forebay({ url: server.url, key: TEST_KEY }).endpoint(id);
      const waiting = endpoint.waitFor(job);
      const streaming = endpoint.stream(job).next();
      await server.stop();
      server = await TestServer.start({ flags: { data: data.path, port: new URL(server.url).port } });
      await worker.stream(job, { output: "kept" });
      expect(await streaming).toMatchObject({ value: { output: "kept" } });
      await worker.done(job, { output: "done" });
      expect(await waiting).toMatchObject({ status: "COMPLETED", output: "done" });
    } finally {
      await server.stop();
    }
  });

  test("numbers the chunks anew when the job runs again because its worker was lost", async () => {
    const server = await TestServer.start();
    try {
      const id = await server.endpoint();
      const [first, second] = [await server.worker(id), await server.worker(id)];
      const job = await server.run(id);
      await first.take();
      await first.stream(job, { output: "a" });
      await first.stream(job, { output: "b" });
      const chunks = new Forebay({ url: server.url, key: TEST_KEY }).endpoint(id).stream(job);
      const seen = [await chunks.next(), await chunks.next()];
      const lost = { attempt: 1, losses: 1, undelivered: 0, barUntil: 0, end: UNDELIVERED };
      await server.forebay.engine.store.apply(
        [{ step: "giveBack", endpoint: id, id: job, ...lost }],
        Date.now(),
      );
      expect((await second.take()).json.id).toBe(job);
      // More than were read of the lost attempt, so their number alone does not tell.
      for (const output of ["A", "B", "C"]) await second.stream(job, { output });
      await second.done(job, { output: [] });
      for (let n = 0; n < 4; n++) seen.push(await chunks.next());
      expect(
        seen.map(({ value }) => (typeof value === "object" ? [value.index, value.output] : value)),
      ).toEqual([[0, "a"], [1, "b"], [0, "A"], [1, "B"], [2, "C"], "COMPLETED"]);
    } finally {
      await server.stop();
    }
  });
});

async function codeOf(call: Promise<unknown>): Promise<unknown[]> {
  const error = await call.catch((error: unknown) => error);
  return error instanceof ForebayError ? [error.code, error.status] : [error];
}
