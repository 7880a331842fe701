import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Payload } from "../../src/domain/payload.ts";
import { append, appendStep } from "../../src/engine/append.ts";
import { type FollowCall, followStream, type StreamNews } from "../../src/engine/follow-stream.ts";
import { LiveEdge } from "../../src/engine/live-edge.ts";
import { finishStep } from "../../src/engine/report.ts";
import { TestEngine } from "../support/test-engine.ts";
import { until } from "../support/until.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (chunk: Payload): string => new TextDecoder().decode(chunk as Uint8Array);

describe("the chunks that a reader gets without a read of the store", () => {
  const added = (first: number, ...texts: string[]) => ({ attempt: 1, first, chunks: texts.map(bytes) });
  const taken = (edge: LiveEdge, from: number, attempt = 1): string[] | undefined =>
    edge.take(attempt, from)?.map(text);

  test("are those after the last read, each once and in order", () => {
    const edge = new LiveEdge();
    edge.reading();
    edge.note(added(3, "a", "b"));
    edge.note(added(5, "c"));
    expect(taken(edge, 4)).toEqual(["b", "c"]);
    expect(taken(edge, 6)).toEqual([]);
  });

  test("are none before the first read, of another attempt, and after a gap", () => {
    const edge = new LiveEdge();
    edge.note(added(0, "a"));
    expect(taken(edge, 0)).toBeUndefined();
    edge.reading();
    edge.note(added(1, "b"));
    expect(taken(edge, 0)).toBeUndefined();
    expect(taken(edge, 1, 2)).toBeUndefined();
  });

  test("are none once anything else has happened to the job, until it is read", () => {
    const edge = new LiveEdge();
    edge.reading();
    edge.note(added(0, "a"));
    edge.note(undefined);
    edge.note(added(1, "b"));
    expect(taken(edge, 0)).toBeUndefined();
    edge.reading();
    expect(taken(edge, 2)).toEqual([]);
  });

  test.each([
    ["1,001 chunks", added(0, ...Array.from({ length: 1_001 }, () => "1"))],
    ["more than 64 kB", added(0, "x".repeat(65_537))],
  ])("are let go when they are %s: a slow reader holds no more", (_, many) => {
    const edge = new LiveEdge();
    edge.reading();
    edge.note(many);
    expect(taken(edge, 0)).toBeUndefined();
  });
});

describe("a reader of a live stream", () => {
  let t: TestEngine;
  let id: string;
  let reads: number;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit();
    await t.take(t.worker("a"));
    reads = 0;
    const { store } = t.engine;
    const { apply } = store;
    store.apply = (steps, now) => {
      reads += steps.filter(({ step }) => step === "drain").length;
      return apply(steps, now);
    };
  });
  afterEach(() => t.stop());

  const putOut = (...texts: string[]): Promise<boolean> =>
    append(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, chunks: texts.map(bytes) });

  function follow(): AsyncGenerator<StreamNews> {
    return following({});
  }

  function following(direct: Pick<FollowCall, "onChunks">): AsyncGenerator<StreamNews> {
    const { signal } = new AbortController();
    const place = { from: 0, attempt: undefined };
    return followStream(t.engine, { endpoint: t.endpoint, id, place, silence: 60_000, signal, ...direct });
  }

  async function next(reader: AsyncGenerator<StreamNews>): Promise<string[]> {
    const { value } = await reader.next();
    return value.chunks.map(text);
  }

  test("that keeps up reads the store twice, however many chunks come: first, and at the end", async () => {
    const readers = Array.from({ length: 5 }, follow);
    const first = readers.map(next);
    await until("all have read", () => reads === 5);
    await putOut("0");
    expect(await Promise.all(first)).toEqual(readers.map(() => ["0"]));
    for (let n = 1; n < 50; n++) {
      const told = readers.map(next);
      await putOut(`${n}`);
      expect(await Promise.all(told)).toEqual(readers.map(() => [`${n}`]));
    }
    expect(reads).toBe(5);
    const last = readers.map((reader) => reader.next());
    await t.complete(t.worker("a"), id);
    for (const { value } of await Promise.all(last))
      expect(value).toMatchObject({ isLast: true, chunks: [] });
    expect(reads).toBe(10);
  });

  test("that falls behind gets the rest from the store, each chunk once", async () => {
    const reader = follow();
    await putOut("0");
    const told = await next(reader);
    for (let n = 1; n <= 1_500; n += 3) await putOut(`${n}`, `${n + 1}`, `${n + 2}`);
    await t.complete(t.worker("a"), id);
    for await (const { chunks } of reader) told.push(...chunks.map(text));
    expect(told).toEqual(Array.from({ length: 1_501 }, (_, n) => `${n}`));
  });

  test("that waits is offered chunks at once; what it refuses comes from the store, each once", async () => {
    const offered: string[] = [];
    let isTaken = true;
    const onChunks = ({ chunks }: StreamNews): boolean => {
      if (isTaken) offered.push(...chunks.map(text));
      return isTaken;
    };
    const reader = following({ onChunks });
    const first = next(reader);
    await t.clock.advance(0);
    await putOut("0", "1");
    await putOut("2");
    expect([offered, reads]).toEqual([["0", "1", "2"], 1]);
    isTaken = false;
    await putOut("3");
    expect([await first, reads]).toEqual([["3"], 2]);
    isTaken = true;
    const last = reader.next();
    await putOut("4");
    expect([offered, reads]).toEqual([["0", "1", "2", "4"], 2]);
    await t.complete(t.worker("a"), id);
    expect((await last).value).toMatchObject({ isLast: true, chunks: [] });
  });

  test("gets an empty answer if nothing came for the whole silence", async () => {
    let isQuiet = false;
    const reader = following({ onChunks: () => true });
    const quiet = next(reader).finally(() => (isQuiet = true));
    await t.clock.advance(59_999);
    await putOut("0");
    await t.clock.advance(59_999);
    expect(isQuiet).toBe(false);
    await t.clock.advance(1);
    expect(await quiet).toEqual([]);
  });

  test.each([true, false])("gets all of one commit with chunks and the end; it waits: %p", async (waits) => {
    const reader = follow();
    await putOut("0");
    expect(await next(reader)).toEqual(["0"]);
    const waited = waits ? reader.next() : undefined;
    const yielded = { worker: t.worker("a"), job: id, attempt: undefined };
    const steps = [
      await appendStep(t.engine, { ...yielded, chunks: [bytes("1")] }),
      await appendStep(t.engine, { ...yielded, chunks: [bytes("2")] }),
      await finishStep(t.engine, { ...yielded, output: bytes("3"), error: undefined }),
    ];
    await t.engine.store.apply(steps, t.engine.clock.now());
    const rest: string[] = [];
    const note = ({ chunks, job, isLast }: StreamNews): void =>
      void rest.push(...chunks.map(text), ...(isLast ? [job.state] : []));
    if (waited !== undefined) note((await waited).value);
    for await (const news of reader) note(news);
    expect(rest).toEqual(["1", "2", "COMPLETED"]);
  });
});
