import { describe, expect, test } from "bun:test";
import { freshWorker } from "../support/fresh-server.ts";
import { SdkWorker } from "../support/sdk-worker.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
/** With all that JSON writes otherwise. */
const TRACESTATE = 'a=1, b@c="\\,\td=4';

describe("W3C trace context: the headers of a submission", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ server, endpoint, worker } = fresh));

  /** The job that a worker gets of a run with these headers. */
  async function taken(headers: Record<string, string>, members: object = {}) {
    await server.post(`/v2/${endpoint}/run`, { input: { n: 1 }, ...members }, headers);
    const { json } = await worker.take();
    await worker.done(json.id, { output: 1 });
    return json;
  }
  const timelineOf = async (job: string) => (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json;

  test("go to the worker with the input, and are in the timeline", async () => {
    const context = { traceparent: TRACEPARENT, tracestate: TRACESTATE };
    const job = await taken(context, { webhook: null, policy: { ttl: 60_000 } });
    expect(job).toEqual({
      id: job.id,
      traceContext: context,
      input: { n: 1 },
      policy: { ttl: 60_000 },
    });
    expect((await timelineOf(job.id)).traceContext).toEqual(context);
    expect((await server.get(`/v1/endpoints/${endpoint}/jobs/${job.id}/input`)).text).toBe('{"n":1}');
  });

  test("are found after a large input too, and do not change what an Idempotency-Key names", async () => {
    const text = "x".repeat(200_000);
    const key = { "idempotency-key": "one" };
    const first = await taken({ traceparent: TRACEPARENT, ...key }, { text });
    const path = `/v2/${endpoint}/run`;
    const again = await server.post(path, { input: { n: 1 }, text }, key);
    expect(again.json).toEqual({ id: first.id, status: "COMPLETED" });
    expect((await timelineOf(first.id)).traceContext).toEqual({ traceparent: TRACEPARENT });
  });

  test("leave a member of that name alone", async () => {
    const own = { traceContext: { mine: [1.0] } };
    expect(await taken({ traceparent: TRACEPARENT }, own)).toMatchObject(own);
  });

  test("are not there where there are none", async () => {
    const job = await taken({});
    expect(Object.keys(job)).toEqual(["id", "input"]);
    expect(await timelineOf(job.id)).not.toHaveProperty("traceContext");
  });

  const known: [what: string, traceparent: string, kept: string][] = [
    ["not sampled", `00-${TRACE}-${PARENT}-00`, `00-${TRACE}-${PARENT}-00`],
    ["with a random trace id (level 2)", `00-${TRACE}-${PARENT}-03`, `00-${TRACE}-${PARENT}-03`],
    ["flags that are not known yet", `00-${TRACE}-${PARENT}-ff`, `00-${TRACE}-${PARENT}-03`],
    ["a later version", `cc-${TRACE}-${PARENT}-01-what-comes`, TRACEPARENT],
  ];
  test.each(known)("traceparent %s", async (_what, traceparent, kept) => {
    expect((await taken({ traceparent })).traceContext).toEqual({ traceparent: kept });
  });

  test.each([
    ["empty", ""],
    ["no trace", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["no parent", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capitals", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["version ff", `ff-${TRACE}-${PARENT}-01`],
    ["more than the first version has", `${TRACEPARENT}-more`],
    ["too short", TRACEPARENT.slice(1)],
    ["two of them", `${TRACEPARENT}, ${TRACEPARENT}`],
  ])(
    "a traceparent that the standard does not allow is ignored with its tracestate: %s",
    async (_what, given) => {
      expect(Object.keys(await taken({ traceparent: given, tracestate: "a=1" }))).toEqual(["id", "input"]);
    },
  );

  test.each(["a", "a=1,a=2", "A=1", "a=é", Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(",")])(
    "a tracestate that cannot be parsed is left out, and the trace goes on: %p",
    async (tracestate) => {
      const { traceContext } = await taken({ traceparent: TRACEPARENT, tracestate });
      expect(traceContext).toEqual({ traceparent: TRACEPARENT });
    },
  );

  test("of an OpenAI call go to the worker as well", async () => {
    const chat = server.post(
      `/v2/${endpoint}/openai/v1/chat/completions`,
      { model: "m" },
      { traceparent: TRACEPARENT },
    );
    const { json } = await worker.take();
    expect(json.traceContext).toEqual({ traceparent: TRACEPARENT });
    expect(json.input.openai_input).toEqual({ model: "m" });
    await worker.done(json.id, { output: { ok: true } });
    expect((await chat).status).toBe(200);
  });

  test("go on in the span of a job whose handler is of our library", async () => {
    const sdk = await SdkWorker.start(server, endpoint, {
      handler: (_job, { trace }) => trace?.headers ?? null,
    });
    try {
      const headers = { traceparent: TRACEPARENT, tracestate: "a=1" };
      const { json } = await server.post(`/v2/${endpoint}/runsync`, { input: {} }, headers);
      expect(json.output.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
      expect(json.output.tracestate).toBe("a=1");
    } finally {
      await sdk.stop();
    }
  });
});

test("W3C trace context: the webhook of a job has the headers that its submission had", async () => {
  const at = await WebhookServer.start();
  try {
    await using receiver = await WebhookReceiver.start();
    const context = { traceparent: TRACEPARENT, tracestate: "a=1,b=2" };
    const webhook = receiver.url();
    for (const headers of [context, {}]) {
      await at.server.post(`/v2/${at.endpoint}/run`, { input: {}, webhook }, headers);
      const { json } = await at.worker.take();
      expect(json.webhook).toBe(webhook);
      await at.worker.done(json.id, { output: 1 });
      await receiver.called(headers === context ? 1 : 2);
    }
    const sent = receiver.calls.map(({ headers }) => [headers["traceparent"], headers["tracestate"]]);
    expect(sent).toEqual([
      [TRACEPARENT, "a=1,b=2"],
      [undefined, undefined],
    ]);
  } finally {
    await at.server.stop();
  }
});
