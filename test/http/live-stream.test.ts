import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EventReader, type SeenEvent } from "../support/event-reader.ts";
import { RawConnection } from "../support/raw-connection.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { UNDELIVERED } from "../model/steps.ts";

const FLAGS = { "stream-silence-ms": "300", "stream-hold-ms": "50" };

describe("a live stream", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let job: string;
  const readers: EventReader[] = [];
  beforeEach(async () => {
    server = await TestServer.start({ flags: FLAGS });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    job = await server.run(endpoint);
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.leave();
    await server.stop();
  });

  const path = (query = "", base = ""): string => `${base}/v2/${endpoint}/stream/${job}${query}`;

  async function open(query = "", headers: Record<string, string> = {}, base = ""): Promise<EventReader> {
    const reader = await EventReader.open(`${server.url}${path(query, base)}`, headers);
    readers.push(reader);
    return reader;
  }

  const chunk = (output: unknown, id: string): SeenEvent => ({
    id,
    event: "message",
    data: JSON.stringify({ output }),
  });

  const end = (record: Record<string, unknown>): SeenEvent => ({
    id: "end",
    event: "end",
    data: JSON.stringify({ id: job, ...record }),
  });

  const waiting = (): number => server.forebay.engine.waits.keys("chunk ").length;

  /** The attempt is over, and the job waits again. */
  async function loseAttempt(attempt: number): Promise<void> {
    const { store, clock } = server.forebay.engine;
    await store.apply(
      [
        {
          step: "giveBack",
          endpoint,
          id: job,
          attempt,
          losses: attempt,
          undelivered: 0,
          barUntil: 0,
          end: UNDELIVERED,
        },
      ],
      clock.now(),
    );
  }

  test.each(["", "/sdk"])(
    "%s/v2: pushes each chunk under its number, then the state and no more",
    async (base) => {
      const reader = await open("", {}, base);
      expect(reader.response.status).toBe(200);
      expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
      expect(reader.response.headers.get("ratelimit")).toContain('"stream";r=');
      await worker.take();
      for (const [index, word] of ["one", "two"].entries()) {
        await worker.stream(job, { output: word });
        expect(await reader.next()).toEqual(chunk(word, `${index}`));
      }
      await worker.stream(job, '{"output":{"n":1.0,\n "t":[]},"metrics":{"running":1}}');
      expect((await reader.next())?.data).toBe('{"output":{"n":1.0,  "t":[]},"metrics":{"running":1}}');
      await worker.done(job, { output: [] });
      expect(await reader.take()).toEqual([end({ status: "COMPLETED" })]);
    },
  );

  test("consumes nothing, and any number of readers get every chunk", async () => {
    await worker.take();
    const all = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (let n = 0; n < 50; n++) await worker.stream(job, { output: n });
    await worker.done(job, { output: [] });
    const expected = [
      ...Array.from({ length: 50 }, (_, n) => chunk(n, `${n}`)),
      end({ status: "COMPLETED" }),
    ];
    for (const reader of all) expect(await reader.take()).toEqual(expected);
    expect((await server.get(path())).json).toHaveLength(50);
  });

  test("goes on behind Last-Event-ID, or at from; after the last event it is 204", async () => {
    await worker.take();
    for (let n = 0; n < 4; n++) await worker.stream(job, { output: n });
    const first = await open();
    await first.take(2);
    first.leave();
    await worker.done(job, { output: [] });
    const rest = [chunk(2, "2"), chunk(3, "3"), end({ status: "COMPLETED" })];
    expect(await (await open("", { "last-event-id": first.lastId })).take()).toEqual(rest);
    expect(await (await open("?from=0", { "last-event-id": "1" })).take()).toEqual(rest);
    expect(await (await open("?from=2")).take()).toEqual(rest);
    expect((await open("", { "last-event-id": "end" })).response.status).toBe(204);
  });

  test("the last event has the error of a FAILED job, and every other final state", async () => {
    const failing = await open();
    await worker.take();
    await worker.stream(job, { output: 1 });
    await worker.done(job, { error: "out of\npaint" });
    expect(await failing.take()).toEqual([chunk(1, "0"), end({ status: "FAILED", error: "out of\npaint" })]);
    job = await server.run(endpoint);
    const cancelled = await open();
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    expect(await cancelled.take()).toEqual([end({ status: "CANCELLED" })]);
    job = await server.run(endpoint);
    const late = await open();
    await server.get(`/v2/${endpoint}/status/${job}?ttl=1`);
    expect(await late.take()).toEqual([end({ status: "TIMED_OUT", error: "ttl exceeded" })]);
    job = await server.run(endpoint);
    const purged = await open();
    await server.post(`/v2/${endpoint}/purge-queue`);
    // It is to come back, and is told then that the job is not there.
    expect(await purged.take()).toEqual([]);
    expect((await open()).response.status).toBe(404);
  });

  test("another attempt begins anew, for those who read and for those who come back", async () => {
    await worker.take();
    await worker.stream(job, { output: "lost" });
    const reader = await open();
    expect(await reader.take(1)).toEqual([chunk("lost", "0")]);
    const left = await open();
    await left.take(1);
    left.leave();
    await loseAttempt(1);
    const back = await open("", { "last-event-id": left.lastId });
    const restart = { event: "restart", data: JSON.stringify({ id: job, status: "IN_QUEUE" }) };
    for (const one of [reader, back]) expect(await one.next()).toMatchObject(restart);
    await worker.take();
    for (const word of ["kept", "too"]) await worker.stream(job, { output: word });
    for (const one of [reader, back]) {
      expect(await one.take(2)).toEqual([chunk("kept", "0-2"), chunk("too", "1-2")]);
    }
    const late = await open("", { "last-event-id": left.lastId });
    expect((await late.next())?.data).toBe(JSON.stringify({ id: job, status: "IN_PROGRESS" }));
    expect(await late.take(2)).toEqual([chunk("kept", "0-2"), chunk("too", "1-2")]);
    expect(await (await open("", { "last-event-id": "0-2" })).take(1)).toEqual([chunk("too", "1-2")]);
    // Whoever had nothing of the first attempt has nothing to forget.
    expect(await (await open()).take(2)).toEqual([chunk("kept", "0-2"), chunk("too", "1-2")]);
  });

  test("comments keep a silent connection open", async () => {
    const reader = await open();
    const next = reader.next();
    await until("three comments came", () => reader.comments >= 3);
    await server.post(`/v2/${endpoint}/cancel/${job}`);
    expect(await next).toEqual(end({ status: "CANCELLED" }));
  });

  test("ends at once when the server stops, without a last event: the reader comes back", async () => {
    const stopping = await TestServer.start();
    const at = await stopping.endpoint();
    const reader = await EventReader.open(`${stopping.url}/v2/${at}/stream/${await stopping.run(at)}`);
    const rest = reader.take();
    await until("it waits", () => stopping.forebay.engine.waits.keys("chunk ").length === 1);
    await stopping.stop();
    expect(await rest).toEqual([]);
  });

  test("ends when its key is revoked, and the next call is refused", async () => {
    const { json: key } = await server.post("/v1/keys", { name: "reader", scopes: ["read"] });
    const headers = { authorization: `Bearer ${key.key}` };
    const reader = await open("", headers);
    const rest = reader.take();
    await until("it waits", () => waiting() === 1);
    await server.call("DELETE", `/v1/keys/${key.id}`);
    expect(await rest).toEqual([]);
    expect((await open("", headers)).response.status).toBe(401);
  });

  test("a reader that has gone leaves nothing behind, and its place is free", async () => {
    for (let round = 0; round < 3; round++) {
      // More than the runtime's own client has connections.
      const all = Array.from({ length: 400 }, () => new RawConnection(server.url));
      for (const one of all) one.write(one.head(`GET ${path()}`, "accept: text/event-stream"));
      for (const one of all) expect(await one.answers(1)).toEqual([200]);
      expect((await open()).response.status).toBe(429);
      for (const one of all) one.end();
      await until("nobody waits any more", () => waiting() === 0);
      await until("its places are free", async () => (await server.get(path("?from=0"))).status === 200);
    }
  });

  test("a reader that stops reading holds a bounded part of the stream, and is cut off", async () => {
    await worker.take();
    const COUNT = 120;
    const text = "x".repeat(500_000);
    for (let n = 0; n < COUNT; n++) await worker.stream(job, { output: text });
    const { store } = server.forebay.engine;
    let read = 0;
    const { readPayload } = store;
    store.readPayload = (payload) => {
      read++;
      return readPayload.call(store, payload);
    };
    const slow = new RawConnection(server.url);
    slow.socket.pause();
    slow.write(slow.head(`GET ${path()}`, "accept: text/event-stream"));
    await until("it is served", () => read > 0);
    // What the kernel holds for it, and one chunk: the others stay where they are.
    await until("nobody waits any more", async () => {
      // Without it the worker would be lost before the reader is let go.
      await worker.ping([job]);
      return waiting() === 0;
    });
    expect(read).toBeLessThan(COUNT / 2);
    slow.end();
    store.readPayload = readPayload;
    expect(await (await open()).take(COUNT)).toHaveLength(COUNT);
  });

  test("a wrong call is refused by its status, before any event", async () => {
    const answer = async (query: string, headers: Record<string, string> = {}): Promise<unknown> => {
      const { status, json } = await server.get(path(query), { accept: "text/event-stream", ...headers });
      return [status, json.code];
    };
    expect(await answer("?from=x")).toEqual([400, "INVALID_QUERY"]);
    expect(await answer("?wait=5000")).toEqual([400, "INVALID_QUERY"]);
    expect(await answer("", { "last-event-id": "1-2-3" })).toEqual([400, "INVALID_HEADER"]);
    expect(await answer("", { authorization: "wrong" })).toEqual([401, "KEY_UNKNOWN"]);
    job = "absent";
    expect(await answer("")).toEqual([404, "JOB_NOT_FOUND"]);
    expect(await answer("", { "last-event-id": "end" })).toEqual([404, "JOB_NOT_FOUND"]);
  });

  test("only whoever asks for events gets them", async () => {
    for (const accept of ["*/*", "application/json", "text/event-stream;q=0, */*"]) {
      expect((await server.get(path(), { accept })).headers.get("content-type")).toBe("application/json");
    }
    const both = await open("", { accept: "application/json, Text/Event-Stream;q=0.9" });
    expect(both.response.headers.get("content-type")).toBe("text/event-stream");
  });
});
