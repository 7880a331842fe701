import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CHUNK_KEYS } from "../../src/engine/wait-keys.ts";
import { UNDELIVERED } from "../model/steps.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

describe("a stream has each chunk once, in order", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let job: string;
  beforeEach(async () => {
    server = await TestServer.start({ flags: { "stream-hold-ms": "200" } });
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    job = await server.run(endpoint);
    await worker.take();
  });
  afterEach(() => server.stop());

  const read = (query = "", base = "") => server.get(`${base}/v2/${endpoint}/stream/${job}${query}`);
  const isHeld = () =>
    until("the read is held", () => server.forebay.engine.waits.keys(CHUNK_KEYS).length === 1);

  test("4.A stream: a bare array of chunks as sent, with the state in a header", async () => {
    await worker.stream(job, '{"output":{"text":["a"],"n":1.0},"metrics":{"running":1}}');
    await worker.stream(job, '{"output":"b"}');
    const { status, text, headers } = await read();
    expect(status).toBe(200);
    expect(text).toBe('[{"output":{"text":["a"],"n":1.0},"metrics":{"running":1}},{"output":"b"}]');
    expect(headers.get("x-job-status")).toBe("IN_PROGRESS");
    expect(headers.get("x-next-chunk")).toBe("2");
    expect(headers.get("x-attempt")).toBe("1");
  });

  test("the SDKs' shape under /sdk: state and chunks in one object, also when there is none", async () => {
    expect((await read("", "/sdk")).json).toEqual({ id: job, status: "IN_PROGRESS", stream: [] });
    await worker.stream(job, { output: 1 });
    expect((await read("", "/sdk")).json).toEqual({
      id: job,
      status: "IN_PROGRESS",
      stream: [{ output: 1 }],
    });
  });

  test("each chunk is read once, by whichever dialect comes first", async () => {
    await worker.stream(job, { output: 1 });
    expect((await read()).json).toEqual([{ output: 1 }]);
    await worker.stream(job, { output: 2 });
    expect((await read("", "/sdk")).json.stream).toEqual([{ output: 2 }]);
    expect((await read()).json).toEqual([]);
  });

  test("?from reads without consuming", async () => {
    await worker.stream(job, { output: 1 });
    await worker.stream(job, { output: 2 });
    expect((await read("?from=1")).json).toEqual([{ output: 2 }]);
    expect((await read("?from=0")).json).toEqual([{ output: 1 }, { output: 2 }]);
    expect((await read()).json).toEqual([{ output: 1 }, { output: 2 }]);
  });

  test("a read waits for the next chunk and gets it at once", async () => {
    const waiting = read("?wait=60000");
    await isHeld();
    await worker.stream(job, { output: 1 });
    expect((await waiting).json).toEqual([{ output: 1 }]);
  });

  test("a read waits for the end of the job and gets it at once", async () => {
    const waiting = read("?wait=60000", "/sdk");
    await isHeld();
    await worker.done(job, { output: [] });
    expect((await waiting).json).toMatchObject({ status: "COMPLETED", stream: [] });
  });

  test("P3: a read that waits for nothing returns the state at its end, not at its beginning", async () => {
    job = await server.run(endpoint);
    const waiting = read("?wait=1000");
    await isHeld();
    expect((await worker.take(1)).json.id).toBe(job);
    expect((await waiting).headers.get("x-job-status")).toBe("IN_PROGRESS");
  });

  test("R16: the first answer with a final state carries all that is left", async () => {
    for (let n = 0; n < 1_500; n++) await worker.stream(job, { output: n });
    await worker.done(job, { output: [] });
    const first = (await read("", "/sdk")).json;
    const second = (await read("", "/sdk")).json;
    expect([first.status, second.status]).toEqual(["IN_PROGRESS", "COMPLETED"]);
    const numbers = [...first.stream, ...second.stream].map((chunk: { output: number }) => chunk.output);
    expect(numbers).toEqual(Array.from({ length: 1_500 }, (_, n) => n));
  });

  test("R15: a chunk after the end is answered 200 and changes nothing", async () => {
    await worker.done(job, { output: [] });
    expect((await worker.stream(job, { output: "late" })).status).toBe(200);
    expect((await read()).json).toEqual([]);
  });

  test("chunks of a lost attempt are deleted when the job is handed out again", async () => {
    await worker.stream(job, { output: "lost" });
    await server.forebay.engine.store.apply(
      [
        {
          step: "giveBack",
          endpoint,
          id: job,
          attempt: 1,
          losses: 1,
          undelivered: 0,
          barUntil: 0,
          end: UNDELIVERED,
        },
      ],
      server.forebay.engine.clock.now(),
    );
    await worker.take();
    await worker.stream(job, { output: "kept" });
    expect((await read()).json).toEqual([{ output: "kept" }]);
  });

  test("4.A sentence 3 chunk, 8 streamed chunk: output above 1 MB is split, joined it is whole", async () => {
    const text = 'é€😀\\"\n'.repeat(150_000);
    await worker.stream(job, JSON.stringify({ output: text }));
    const chunks = (await read()).json as { output: string }[];
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks)
      expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(1_048_576);
    expect(chunks.map((chunk) => chunk.output).join("")).toBe(text);
  });

  test("4.A sentence 3 chunk: an object above 1 MB comes as text in pieces, joined its JSON", async () => {
    const object = { list: Array.from({ length: 200_000 }, (_, n) => `item ${n}`) };
    await worker.stream(job, { output: object, metrics: { running: 1 } });
    const chunks = (await read()).json as { output?: string; metrics?: unknown }[];
    expect(JSON.parse(chunks.map((chunk) => chunk.output ?? "").join(""))).toEqual(object);
    expect(chunks.at(-1)).toEqual({ metrics: { running: 1 } });
  });

  test("4.A sentence 3 chunk: a list above 1 MB comes as lists, its elements whole and as sent", async () => {
    const elements = Array.from({ length: 120_000 }, (_, n) => `{"n": ${n}.0}`);
    await worker.stream(job, `{"output": [${elements.join(" , ")}]}`);
    const { text } = await read();
    const chunks = JSON.parse(text) as Record<string, { n: number }[]>[];
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map((chunk) => Object.keys(chunk))).toEqual(chunks.map(() => ["output"]));
    for (const chunk of chunks)
      expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(1_048_576);
    expect([...text.matchAll(/\{"n": \d+\.0\}/g)].map(([element]) => element)).toEqual(elements);
  });

  test("4.A sentence 3 chunk: a list with an element above 1 MB comes as text in pieces", async () => {
    const list = [{ n: 1 }, "x".repeat(1_100_000)];
    await worker.stream(job, { output: list });
    const chunks = (await read()).json as { output: string; part: number; parts: number }[];
    expect(chunks.map(({ part, parts }) => [part, parts])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(JSON.parse(chunks.map(({ output }) => output).join(""))).toEqual(list);
  });

  test("4.A sentence 3 chunk, 8 streamed chunk: metrics above 1 MB are split as output is", async () => {
    const metrics = { list: "x".repeat(1_200_000) };
    await worker.stream(job, { metrics });
    await worker.stream(job, { output: "y".repeat(1_100_000), metrics });
    const { json } = await read();
    for (const chunk of json) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(1_048_576);
    const joined = (member: string): string =>
      json.map((chunk: Record<string, string>) => chunk[member] ?? "").join("");
    expect(joined("metrics")).toBe(JSON.stringify(metrics).repeat(2));
    expect(joined("output")).toBe("y".repeat(1_100_000));
  });

  test("POST reads as well: one public SDK posts with an empty body", async () => {
    await worker.stream(job, { output: 1 });
    const { json } = await server.call("POST", `/sdk/v2/${endpoint}/stream/${job}`, "", {
      "content-type": "application/json",
    });
    expect(json.stream).toEqual([{ output: 1 }]);
  });
});
