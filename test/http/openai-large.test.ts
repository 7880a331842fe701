import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { parseYield } from "../../src/http/worker/chunk.ts";
import { EventReader } from "../support/event-reader.ts";
import { ModelServer } from "../support/model-server.ts";
import { until } from "../support/until.ts";

/** An object of more than three chunks, whose JSON has all that could be cut wrongly. */
const LARGE = { id: "c", list: Array.from({ length: 130_000 }, (_, n) => `é€😀\\"\n\u0001${n}`) };
const CHUNKS = await parseYield(Buffer.from(JSON.stringify({ output: LARGE })));

const DONE = "data: [DONE]\n\n";
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

describe("the OpenAI route with outputs above 1 MB", () => {
  let at: ModelServer;
  beforeEach(async () => {
    at = await ModelServer.start();
  });
  afterEach(() => at.stop());

  /** The worker's chunks one by one, as if each were a call of its own. */
  async function putOut(job: string, chunks: readonly Uint8Array[]): Promise<void> {
    const { engine } = at.server.forebay;
    const worker = { endpoint: at.endpoint, id: at.worker.id, sharesToken: false };
    for (const chunk of chunks) await append(engine, { worker, job, attempt: undefined, chunks: [chunk] });
  }

  test("an object is one event, in its place among the others", async () => {
    expect(CHUNKS.length).toBeGreaterThan(3);
    const text = await at.wholeText([{ n: 1 }, LARGE, event({ n: 2 }), LARGE]);
    expect(text === event({ n: 1 }) + event(LARGE) + event({ n: 2 }) + event(LARGE) + DONE).toBe(true);
  });

  test("a list is an event for each of its elements, and text stays text", async () => {
    const text = await at.wholeText([[{ n: 1 }, LARGE], `data: "${"x".repeat(1_500_000)}"\n\n`]);
    expect(text === event({ n: 1 }) + event(LARGE) + event("x".repeat(1_500_000)) + DONE).toBe(true);
  });

  test("a caller who waits while pieces come gets comments until the event is whole", async () => {
    const { response, job } = await at.streamed([{ n: 1 }]);
    const reader = EventReader.of(await response);
    expect((await reader.next())?.data).toBe('{"n":1}');
    const next = reader.next();
    for (const chunk of CHUNKS.slice(0, -1)) {
      await putOut(job, [chunk]);
      const { comments } = reader;
      await until("a comment came", () => reader.comments > comments);
    }
    await putOut(job, CHUNKS.slice(-1));
    expect(JSON.parse((await next)?.data ?? "")).toEqual(LARGE);
    await at.worker.done(job, { output: [] });
    expect(await reader.take()).toMatchObject([{ data: "[DONE]" }]);
  });

  test("pieces of an attempt that is lost are forgotten", async () => {
    const { response, job } = await at.streamed([]);
    await putOut(job, CHUNKS.slice(0, 2));
    const { waits } = at.server.forebay.engine;
    await until("both are read", () => waits.keys("chunk ").length === 1);
    await at.loseFirstAttempt(job);
    await at.worker.take();
    await at.worker.stream(job, { output: LARGE });
    await at.worker.done(job, { output: [] });
    expect((await at.textOf(response)) === event(LARGE) + DONE).toBe(true);
  });

  test("a job that ends within an object ends with its error, and no part of it is sent", async () => {
    const { response, job } = await at.streamed([{ n: 1 }]);
    const reader = EventReader.of(await response);
    await putOut(job, CHUNKS.slice(0, 2));
    await at.worker.done(job, { error: "out of paint" });
    const [first, last, ...rest] = await reader.take();
    expect([first?.data, JSON.parse(last?.data ?? "").error.message, rest]).toEqual([
      '{"n":1}',
      "out of paint",
      [],
    ]);
  });

  test("a member part of the worker's own is no piece", async () => {
    const { response, job } = await at.streamed([]);
    await at.worker.stream(job, { output: "data: {}\n\n", part: 1, parts: 2 });
    await at.worker.done(job, { output: [] });
    expect(await at.textOf(response)).toBe(`data: {}\n\n${DONE}`);
  });

  test("not streamed: the yield of a generator that does not aggregate is the answer", async () => {
    for (const metrics of [undefined, { running: 1 }]) {
      const answer = at.post({});
      const { id } = (await at.worker.take()).json;
      await at.worker.stream(id, { output: LARGE, metrics });
      await at.worker.done(id, { output: [] });
      expect((await answer).json).toEqual(LARGE);
    }
  });

  test("the plain stream has the pieces, and which of how many they are", async () => {
    const { response, job } = await at.streamed([LARGE]);
    await at.worker.done(job, { output: [] });
    await (await response).text();
    const { json } = await at.server.get(`/v2/${at.endpoint}/stream/${job}`);
    const numbers = json.map(({ part, parts }: { part: number; parts: number }) => [part, parts]);
    expect(numbers).toEqual(CHUNKS.map((_, index) => [index + 1, CHUNKS.length]));
    expect(json.map(({ output }: { output: string }) => output).join("")).toBe(JSON.stringify(LARGE));
  });
});
