import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

describe("the trace of a job", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  beforeEach(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    worker = await SdkWorker.start(server, endpoint, {
      handler: (_job, context) => [context.trace ?? null, context.trace ?? null],
    });
  });
  afterEach(async () => {
    await worker.stop();
    await server.stop();
  });

  /** What the handler sees of the trace of a job that was submitted with these members. */
  const seen = async (members: object) => {
    const { json } = await server.post(`/v2/${endpoint}/runsync`, { input: {}, ...members });
    expect(json.output[0]).toEqual(json.output[1]);
    return json.output[0];
  };

  test("goes on in a span of the job's own", async () => {
    const trace = await seen({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "a=1, b@c=2" });
    expect(trace).toEqual({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: PARENT,
      isSampled: true,
      headers: { traceparent: `00-${TRACE}-${trace.spanId}-01`, tracestate: "a=1, b@c=2" },
    });
    expect(trace.spanId).not.toBe(PARENT);
    expect((await seen({ traceparent: `00-${TRACE}-${PARENT}-01` })).spanId).not.toBe(trace.spanId);
  });

  const headers: [what: string, traceparent: string, flags: string][] = [
    ["not sampled", `00-${TRACE}-${PARENT}-00`, "00"],
    ["flags that are not known yet", `00-${TRACE}-${PARENT}-ff`, "03"],
    ["a later version", `cc-${TRACE}-${PARENT}-01`, "01"],
    ["a later version with more members", `cc-${TRACE}-${PARENT}-01-what-the-future-brings`, "01"],
  ];
  test.each(headers)("%s: %s", async (_what, traceparent, flags) => {
    const trace = await seen({ traceparent });
    expect(trace.headers).toEqual({ traceparent: `00-${TRACE}-${trace.spanId}-${flags}` });
    expect(trace.isSampled).toBe(flags !== "00");
  });

  const wrong: [what: string, traceparent: unknown][] = [
    ["none", undefined],
    ["no text", 1],
    ["no trace", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["no parent", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capitals", `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ["version ff", `ff-${TRACE}-${PARENT}-01`],
    ["more than the first version has", `00-${TRACE}-${PARENT}-01-more`],
    ["too much behind a later version", `cc-${TRACE}-${PARENT}-01.what`],
  ];
  test.each(wrong)("that the standard does not allow is none: %s", async (_what, traceparent) => {
    expect(await seen({ traceparent, tracestate: "a=1" })).toBe(null);
  });

  test.each(["a", "a=1,a=2", "A=1", "", 7, Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(",")])(
    "goes on without a tracestate that cannot be parsed: %p",
    async (tracestate) => {
      const { headers } = await seen({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate });
      expect(Object.keys(headers)).toEqual(["traceparent"]);
    },
  );
});
