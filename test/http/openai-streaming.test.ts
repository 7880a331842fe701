import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { EventReader, type SeenEvent } from "../support/event-reader.ts";
import { ModelServer } from "../support/model-server.ts";
import { until } from "../support/until.ts";

describe("the OpenAI route, streaming", () => {
  let at: ModelServer;
  beforeEach(async () => {
    at = await ModelServer.start();
  });
  afterEach(() => at.stop());

  const event = (n: number): string => `data: {"n":${n},"text":"Grüße 😀"}\n\n`;
  const EVENTS = [event(1), event(2), event(3)].join("");
  const DONE = "data: [DONE]\n\n";

  test("text is passed on as it is, wherever it is cut", async () => {
    const whole = `${EVENTS}: comment\r\n\r\nevent: x\nid: 1\ndata: {"a":"data: b"}\n\n${DONE}`;
    for (let size = 1; size < 60; size += 7) {
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      expect(await at.wholeText(pieces)).toBe(whole);
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
    expect(await at.wholeText(outputs)).toBe(expected);
  });

  test.each(["v1/responses", "v1/messages"])("%s has events with types, and no [DONE]", async (route) => {
    const events = ['event: response.completed\ndata: {"type":"response.completed"}\n\n'];
    expect(await at.wholeText(events, route)).toBe(events.join(""));
  });

  test("a worker that does not stream answers as one event", async () => {
    const { response, job } = await at.streamed([]);
    await at.worker.done(job, { output: [{ id: "c" }] });
    expect(await at.textOf(response)).toBe(`data: {"id":"c"}\n\n${DONE}`);
  });

  /** The events of a streamed call that has begun. */
  async function begun(): Promise<{ reader: EventReader; job: string }> {
    const { response, job } = await at.streamed([event(1)]);
    const reader = EventReader.of(await response);
    expect((await reader.next())?.data).toBe(event(1).slice(6).trim());
    return { reader, job };
  }

  test("each event is sent as it comes, and a comment if none comes", async () => {
    const { reader, job } = await begun();
    expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
    expect(reader.response.headers.get("x-request-id")).toBe(job);
    expect(reader.response.headers.get("x-accel-buffering")).toBe("no");
    for (const n of [2, 3, 4]) {
      await at.worker.stream(job, { output: event(n) });
      expect((await reader.next())?.data).toBe(event(n).slice(6).trim());
    }
    const next = reader.next();
    await until("two comments came", () => reader.comments >= 2);
    await at.worker.done(job, { output: [] });
    expect((await next)?.data).toBe("[DONE]");
  });

  test("a plain reader of the stream changes nothing for it", async () => {
    const { reader, job } = await begun();
    expect((await at.server.get(`/v2/${at.endpoint}/stream/${job}`)).json).toHaveLength(1);
    await at.worker.stream(job, { output: event(2) });
    await at.worker.done(job, { output: [] });
    expect(await reader.take()).toHaveLength(2);
    expect((await at.server.get(`/v2/${at.endpoint}/stream/${job}`)).json).toHaveLength(1);
  });

  test("an error before the first event has its status", async () => {
    const { response, job } = await at.streamed(['data: {"half']);
    await at.worker.done(job, {
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
    const { response, job } = await at.streamed([{ object: "error", message: "no model", code: 404 }]);
    expect((await response).status).toBe(404);
    expect((await at.server.status(at.endpoint, job)).status).toBe("CANCELLED");
  });

  const NO_MODEL = { object: "error", message: "no model", type: "NotFoundError", param: null, code: 404 };
  const NO_MODEL_TEXT = JSON.stringify(NO_MODEL);

  test.each([
    ["text, as the worker for sglang passes it on", NO_MODEL_TEXT],
    ["an event", `data: ${NO_MODEL_TEXT}\n\n`],
    ["an event without its end", `data: ${NO_MODEL_TEXT}`],
    ["an event that clients would raise", `data: {"error":{"message":"no model","code":404}}\n\n`],
    ["a list with it", [NO_MODEL_TEXT]],
  ])("an error as first chunk has its status: %s", async (_name, output) => {
    const { response, job } = await at.streamed([output]);
    const answer = await response;
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(await answer.json()).toMatchObject({ error: { message: "no model", code: 404 } });
    expect((await at.server.status(at.endpoint, job)).status).toBe("CANCELLED");
  });

  test.each([
    ["an object", NO_MODEL],
    ["text", NO_MODEL_TEXT],
    ["an event", `data: ${NO_MODEL_TEXT}\n\n`],
  ])("an error as a later chunk is an event that clients raise: %s", async (_name, output) => {
    const { reader, job } = await begun();
    await at.worker.stream(job, { output });
    const { data = "" } = (await reader.next()) ?? {};
    expect(JSON.parse(data)).toEqual({
      error: { message: "no model", type: "NotFoundError", param: null, code: 404 },
    });
    await at.worker.done(job, { output: [] });
  });

  test("an event that clients raise already, and text that only looks so, stay as they are", async () => {
    const raised = 'data: {"error":{"message":"no","own":1}}\n\n';
    const text = 'data: {"text":"\\"object\\":\\"error\\""}\n\n';
    expect(await at.wholeText([event(1), raised, text])).toBe(event(1) + raised + text + DONE);
    const cut = ['data: {"a":', '{"object":"error","message":"m"}', "}\n\n"];
    expect(await at.wholeText(cut)).toBe(cut.join("") + DONE);
  });

  const errorOf = (events: readonly SeenEvent[]): unknown =>
    JSON.parse(events.at(-1)?.data ?? "").error?.message;

  test("a later error is the last event, and no part of an event is sent", async () => {
    const { reader, job } = await begun();
    await at.worker.stream(job, { output: 'data: {"half' });
    await at.worker.done(job, { error: "out of paint" });
    const rest = await reader.take();
    expect(rest).toHaveLength(1);
    expect(errorOf(rest)).toBe("out of paint");
  });

  test("a worker that dies in mid stream ends it with an error event, and the job is cancelled", async () => {
    const { reader, job } = await begun();
    await at.loseFirstAttempt(job);
    expect(errorOf(await reader.take())).toBe("The worker was lost before it finished its answer.");
    await until(
      "it is cancelled",
      async () => (await at.server.status(at.endpoint, job)).status === "CANCELLED",
    );
  });

  test("a worker that dies before the first event is replaced: another one answers", async () => {
    const { response, job } = await at.streamed(['data: {"half']);
    await at.loseFirstAttempt(job);
    await at.worker.take();
    await at.worker.stream(job, { output: event(1) });
    await at.worker.done(job, { output: [] });
    expect(await at.textOf(response)).toBe(event(1) + DONE);
  });
});
