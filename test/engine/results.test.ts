import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { append } from "../../src/engine/append.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { progress } from "../../src/engine/progress.ts";
import { report } from "../../src/engine/report.ts";
import { TestEngine } from "../support/test-engine.ts";

describe("exactly one result per attempt", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit();
    await t.take(t.worker("a"));
  });
  afterEach(() => t.stop());

  const sendProgress = (json: string): Promise<boolean> =>
    progress(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, value: bytes(json) });
  const text = (payload: unknown): string => new TextDecoder().decode(payload as Uint8Array);
  const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);

  test("a result of a worker that does not hold the job is ignored and counted", async () => {
    expect(await t.complete(t.worker("b"), id)).toBe(false);
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
    expect((await t.engine.store.counts(t.endpoint))?.ignored).toBe(1);
  });

  test("R1: after a cancel no result, chunk or progress changes anything", async () => {
    await cancel(t.engine, t.endpoint, id);
    expect(await t.complete(t.worker("a"), id)).toBe(false);
    expect(
      await append(t.engine, { worker: t.worker("a"), job: id, attempt: undefined, chunks: [bytes("{}")] }),
    ).toBe(false);
    expect(await sendProgress("1")).toBe(false);
    const job = await t.status(id);
    expect(job).toMatchObject({ state: "CANCELLED", output: undefined, progress: undefined });
    const drain = { step: "drain", endpoint: t.endpoint, id, chunkLimit: 9, byteLimit: 99, from: 0 } as const;
    const [drained] = await t.engine.store.apply([drain], t.clock.now());
    expect(drained).toMatchObject({ chunks: [] });
  });

  test("R14: progress after the result changes nothing; before it, it never ends the job", async () => {
    expect(await sendProgress('{"step":1}')).toBe(true);
    const running = await t.status(id);
    expect([running.state, text(running.progress), running.proved]).toEqual([
      "IN_PROGRESS",
      '{"step":1}',
      true,
    ]);
    await t.complete(t.worker("a"), id);
    expect(await sendProgress("2")).toBe(false);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", progress: undefined });
  });

  test("what a failed handler returned with its error is no output", async () => {
    await report(t.engine, {
      worker: t.worker("a"),
      job: id,
      attempt: undefined,
      output: bytes("1"),
      error: bytes('"no"'),
    });
    expect(await t.status(id)).toMatchObject({ state: "FAILED", output: undefined });
  });
});

test("a large result that changes nothing leaves no file behind", async () => {
  const directory = await mkdtemp(join(tmpdir(), "forebay-"));
  const t = await TestEngine.start(directory);
  const id = await t.submit();
  await t.take(t.worker("a"));
  const large = JSON.stringify("x".repeat(100_000));
  expect(await t.complete(t.worker("b"), id, large)).toBe(false);
  expect(await readdir(join(directory, "payloads"))).toEqual([]);
  expect(await t.complete(t.worker("a"), id, large)).toBe(true);
  expect(await readdir(join(directory, "payloads"))).toHaveLength(1);
  await t.stop();
  await rm(directory, { recursive: true });
});
