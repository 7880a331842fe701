import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { followStream, type StreamPlace } from "../../src/engine/follow-stream.ts";
import { TestEngine } from "../support/test-engine.ts";
import { type Gate, gateBefore, type StepName } from "./in-order.ts";

describe("races of a live stream", () => {
  let t: TestEngine;
  let id: string;
  let gate: Gate;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit();
    await t.take(t.worker("a"));
  });
  afterEach(() => t.stop());

  const putOut = (chunk: string): Promise<boolean> =>
    append(t.engine, {
      worker: t.worker("a"),
      job: id,
      attempt: undefined,
      chunks: [new TextEncoder().encode(chunk)],
    });

  /** All that a reader is told: the chunks of each news, and the final state in its place. */
  async function follow(place: StreamPlace = { from: 0, attempt: undefined }): Promise<string[][]> {
    const { signal } = new AbortController();
    const told: string[][] = [];
    const call = { endpoint: t.endpoint, id, place, silence: 60_000, signal };
    for await (const { chunks, isLast, job } of followStream(t.engine, call)) {
      const texts = chunks.map((chunk) => new TextDecoder().decode(chunk as Uint8Array));
      told.push(isLast ? [...texts, job.state] : texts);
    }
    return told;
  }

  /** Commits the steps in this order, each once it waits, while a reader follows. */
  async function inThisOrder(steps: readonly StepName[], start: () => unknown): Promise<string[][]> {
    gate = gateBefore(t.engine.store);
    const told = follow();
    start();
    for (const step of steps) {
      await gate.waits(step);
      gate.pass(step);
    }
    gate.open();
    return told;
  }

  const chunkAndEnd = async (): Promise<void> => {
    await putOut("1");
    await t.complete(t.worker("a"), id);
  };

  test("R16, read first: the chunk comes without another read, then the state", async () => {
    expect(await inThisOrder(["drain", "append", "complete"], chunkAndEnd)).toEqual([["1"], ["COMPLETED"]]);
  });

  test("R16, chunk first: the state comes behind it", async () => {
    expect(await inThisOrder(["append", "drain", "complete"], chunkAndEnd)).toEqual([["1"], ["COMPLETED"]]);
  });

  test("R16, chunk and end first: the news of the end has the chunk", async () => {
    expect(await inThisOrder(["append", "complete", "drain"], chunkAndEnd)).toEqual([["1", "COMPLETED"]]);
  });

  test("R15, end first: a late chunk reaches no reader", async () => {
    const both = (): unknown => [putOut("1"), putOut("late"), t.complete(t.worker("a"), id)];
    expect(await inThisOrder(["append", "complete", "append"], both)).toEqual([["1", "COMPLETED"]]);
  });

  test("R17, a reader dies with what it has read: it goes on behind the last that it knows", async () => {
    for (const chunk of ["1", "2", "3"]) await putOut(chunk);
    await t.complete(t.worker("a"), id);
    expect(await follow()).toEqual([["1", "2", "3", "COMPLETED"]]);
    expect(await follow({ from: 1, attempt: 1 })).toEqual([["2", "3", "COMPLETED"]]);
    expect(await follow({ from: 3, attempt: 1 })).toEqual([["COMPLETED"]]);
  });
});
