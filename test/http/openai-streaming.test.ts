import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EventReader, type SeenEvent } from "../support/event-reader.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";
import { UNDELIVERED } from "../model/steps.ts";

const CHAT = "v1/chat/completions";

describe("the OpenAI route, streaming", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  beforeEach(async () => {
    server = await TestServer.start({ flags: { "stream-silence-ms": "200", "take-hold-ms": "60000" } });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
  });
  afterEach(() => server.stop());

  const path = (route: string, base = ""): string => `${base}/v2/${endpoint}/openai/${route}`;

  /** A streamed call, and the id of its job; the worker yields all `outputs` at once. */
  async function streamed(
    outputs: readonly unknown[],
    route = CHAT,
  ): Promise<{ response: Promise<Response>; job: string }> {
    const response = fetch(`${server.url}${path(route)}`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: '{"stream":true}',
    });
    const job = (await worker.take()).json.id;
    for (const output of outputs) await worker.stream(job, { output });
    return { response, job };
  }

  /** All that a streamed call with these yields answers, its job COMPLETED. */
  async function textOf(outputs: readonly unknown[], route = CHAT): Promise<string> {
    const { response, job } = await streamed(outputs, route);
    await worker.done(job, { output: [] });
    return (await response).text();
  }

  const event = (n: number): string => `data: {"n":${n},"text":"Grüße 😀"}\n\n`;
  const EVENTS = [event(1), event(2), event(3)].join("");
  const DONE = "data: [DONE]\n\n";

  test("text is passed on as it is, wherever it is cut", async () => {
    const whole = `${EVENTS}: comment\r\n\r\nevent: x\nid: 1\ndata: {"a":"data: b"}\n\n${DONE}`;
    for (let size = 1; size < 60; size += 7) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(await textOf(pieces)).toBe(whole);
    }
  });

  test.each<[string, unknown[], string]>([
    ["several events at once", [event(1) + event(2), event(3), DONE], EVENTS + DONE],
    ["events without the last one", [event(1), event(2), event(3)], EVENTS + DONE],
    ["objects", [{ n: 1 }, { n: 2 }], `data: {"n":1}\n\ndata: {"n":2}\n\n${DONE}`],
    [
      "lists of objects",
      [[{ n: 1 }, { n: 2 }], [{ n: 3 }]],
      `data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\n${DONE}`,
    ],
    ["lists of text", [[event(1), event(2)], [event(3)]], EVENTS + DONE],
    ["lines without an end", [event(1).trim(), event(2).trim(), "data: [DONE]"], event(1) + event(2) + DONE],
    [
      "JSON over several lines",
      ['data: {\n  "n": 1,\n  "t": [\n    2\n  ]\n}', "data: [DONE]"],
      `data: {  "n": 1,  "t": [    2  ]}\n\n${DONE}`,
    ],
    ["the same with its end", ['data: {\n  "n": 1\n}\n\n', DONE], `data: {  "n": 1}\n\n${DONE}`],
    ["lines of one event", ["event: x", 'data: {"n":1}'], `event: x\ndata: {"n":1}\n\n${DONE}`],
    ["nothing", [], DONE],
  ])("%s", async (_name, outputs, expected) => {
    expect(await textOf(outputs)).toBe(expected);
  });

  test.each(["v1/responses", "v1/messages"])("%s has events with types, and no [DONE]", async (route) => {
    const events = ['event: response.completed\ndata: {"type":"response.completed"}\n\n'];
    expect(await textOf(events, route)).toBe(events.join(""));
  });

  test("a worker that does not stream answers as one event", async () => {
    const { response, job } = await streamed([]);
    await worker.done(job, { output: [{ id: "c" }] });
    expect(await (await response).text()).toBe(`data: {"id":"c"}\n\n${DONE}`);
  });

  /** The events of a streamed call that has begun. */
  async function begun(): Promise<{ reader: EventReader; job: string }> {
    const { response, job } = await streamed([event(1)]);
    const reader = EventReader.of(await response);
    expect((await reader.next())?.data).toBe(event(1).slice(6).trim());
    return { reader, job };
  }

  test("each event leaves as it comes, and a comment where none does", async () => {
    const { reader, job } = await begun();
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(reader.response.headers.get("x-request-id")).toBe(job);
    expect(reader.response.headers.get("x-accel-buffering")).toBe("no");
    for (const n of [2, 3, 4]) {
      await worker.stream(job, { output: event(n) });
      expect((await reader.next())?.data).toBe(event(n).slice(6).trim());
    }
    const next = reader.next();
    await until("two comments came", () => reader.comments >= 2);
    await worker.done(job, { output: [] });
    expect((await next)?.data).toBe("[DONE]");
  });

  test("a plain reader of the stream is not in its way", async () => {
    const { reader, job } = await begun();
    expect((await server.get(`/v2/${endpoint}/stream/${job}`)).json).toHaveLength(1);
    await worker.stream(job, { output: event(2) });
    await worker.done(job, { output: [] });
    expect(await reader.take()).toHaveLength(2);
    expect((await server.get(`/v2/${endpoint}/stream/${job}`)).json).toHaveLength(1);
  });

  test("an error before the first event has its status", async () => {
    const { response, job } = await streamed(['data: {"half']);
    await worker.done(job, {
      error: "{'message': 'vLLM returned HTTP 404: no model', 'type': 'NotFoundError'}",
    });
    const answer = await response;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(await answer.json()).toEqual({
      error: {
        message: "vLLM returned HTTP 404: no model",
        type: "NotFoundError",
        param: null,
        code: null,
      },
    });
  });

  test("an error that is the first output has its status, and its job is cancelled", async () => {
    const { response, job } = await streamed([{ object: "error", message: "no model", code: 404 }]);
    expect((await response).status).toBe(404);
    expect((await server.status(endpoint, job)).status).toBe("CANCELLED");
  });

  const errorOf = (events: readonly SeenEvent[]): unknown =>
    JSON.parse(events.at(-1)?.data ?? "").error?.message;

  test("an error later is the last event, and half an event never comes", async () => {
    const { reader, job } = await begun();
    await worker.stream(job, { output: 'data: {"half' });
    await worker.done(job, { error: "out of paint" });
    const rest = await reader.take();
    expect(rest).toHaveLength(1);
    expect(errorOf(rest)).toBe("out of paint");
  });

  test("a worker that dies in mid stream ends it with an error event, and the job is cancelled", async () => {
    const { reader, job } = await begun();
    const { store, clock } = server.forebay.engine;
    const lost = {
      step: "giveBack",
      endpoint,
      id: job,
      attempt: 1,
      losses: 1,
      undelivered: 0,
      barUntil: 0,
      end: UNDELIVERED,
    } as const;
    await store.apply([lost], clock.now());
    expect(errorOf(await reader.take())).toBe("The worker was lost before its answer was whole.");
    await until("it is cancelled", async () => (await server.status(endpoint, job)).status === "CANCELLED");
  });

  test("a worker that dies before the first event does no harm: another one answers", async () => {
    const { response, job } = await streamed(['data: {"half']);
    const { store, clock } = server.forebay.engine;
    const lost = {
      step: "giveBack",
      endpoint,
      id: job,
      attempt: 1,
      losses: 1,
      undelivered: 0,
      barUntil: 0,
      end: UNDELIVERED,
    } as const;
    await store.apply([lost], clock.now());
    await worker.take();
    await worker.stream(job, { output: event(1) });
    await worker.done(job, { output: [] });
    expect(await (await response).text()).toBe(event(1) + DONE);
  });
});
