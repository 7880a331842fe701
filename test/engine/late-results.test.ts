import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { append } from "../../src/engine/append.ts";
import { cancel } from "../../src/engine/cancel.ts";
import { giveBack } from "../../src/engine/give-back.ts";
import { report } from "../../src/engine/report.ts";
import { retry } from "../../src/engine/retry.ts";
import { stops } from "../../src/engine/stops.ts";
import { timeline } from "../../src/engine/timeline.ts";
import { inOrder } from "../races/in-order.ts";
import { TestEngine } from "../support/test-engine.ts";

const SECOND = 1_000;

describe("a result of an attempt that was given back (decision 0033)", () => {
  let t: TestEngine;
  let id: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    id = await t.submit({ executionTimeout: 60 * SECOND });
    await t.clock.advance(2 * SECOND);
    await t.take(t.worker("a"));
    await t.clock.advance(3 * SECOND);
  });
  afterEach(() => t.stop());

  const bytes = (json: string): Uint8Array => new TextEncoder().encode(json);
  const text = (payload: unknown): string => new TextDecoder().decode(payload as Uint8Array);
  const lose = async () => giveBack(t.engine, await t.status(id), "died");
  const result = (worker: string, given: Partial<Parameters<typeof report>[1]> = {}) =>
    report(t.engine, {
      worker: t.worker(worker),
      job: id,
      attempt: undefined,
      output: bytes(`"of ${worker}"`),
      error: undefined,
      mayBeLate: true,
      ...given,
    });
  const chunkOf = (worker: string) =>
    append(t.engine, { worker: t.worker(worker), job: id, attempt: undefined, chunks: [bytes("{}")] });
  const stopsOf = (worker: string) => stops(t.engine, t.worker(worker), 0, new AbortController().signal);
  const counts = () => t.engine.store.counts(t.endpoint);

  test("R12: counts while the job waits; the record shows its worker and times", async () => {
    const { queuedAt, takenAt } = await t.status(id);
    await lose();
    expect(await result("a")).toBe(true);
    const job = await t.status(id);
    expect(job).toMatchObject({ state: "COMPLETED", worker: "a", queuedAt, takenAt, losses: 1 });
    expect(text(job.output)).toBe('"of a"');
    expect(job.endedAt).toBe(t.clock.now());
    expect(await counts()).toMatchObject({ queued: 0, queuedBytes: 0, running: 0, completed: 1, ignored: 0 });
    expect((await timeline(t.engine, t.endpoint, id)).attempts).toMatchObject([
      { attempt: 1, worker: "a", outcome: "COMPLETED", startedAt: takenAt, endedAt: job.endedAt },
    ]);
    expect(t.engine.statistics.sinceStart.get(t.endpoint)?.counts).toMatchObject({ completed: 1, lost: 1 });
    expect(await t.take(t.worker("b"))).toEqual([]);
  });

  test("R12: counts while another attempt runs, which is told to stop and ignored", async () => {
    const { takenAt } = await t.status(id);
    await lose();
    await t.take(t.worker("b"));
    expect(await result("a")).toBe(true);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", worker: "a", takenAt, attempt: 2 });
    expect(await stopsOf("b")).toEqual([id]);
    expect(await stopsOf("a")).toEqual([]);
    expect((await timeline(t.engine, t.endpoint, id)).attempts).toMatchObject([
      { attempt: 1, worker: "a", outcome: "COMPLETED" },
      { attempt: 2, worker: "b", outcome: "CANCELLED", error: "the result of an earlier attempt arrived" },
    ]);
    expect(await result("b")).toBe(false);
    expect(text((await t.status(id)).output)).toBe('"of a"');
    expect(await counts()).toMatchObject({ running: 0, completed: 1, ignored: 1 });
  });

  test("R13: counts once", async () => {
    await lose();
    expect([await result("a"), await result("a")]).toEqual([true, false]);
  });

  const refusals: readonly (readonly [
    string,
    () => Promise<unknown>,
    string,
    Parameters<typeof result>[1]?,
  ])[] = [
    ["with an error", async () => {}, "a", { output: undefined, error: bytes('"no"') }],
    ["of a generator, or of the exchange", async () => {}, "a", { mayBeLate: false }],
    ["of a worker that never had the job", async () => {}, "c"],
    [
      "when another attempt has put out chunks",
      async () => void (await t.take(t.worker("b")), await chunkOf("b")),
      "a",
    ],
    ["after its own execution deadline", () => t.clock.advance(57 * SECOND), "a"],
    ["after the job was cancelled", () => cancel(t.engine, t.endpoint, id), "a"],
  ];
  for (const [what, before, worker, given] of refusals) {
    test(`does not count ${what}`, async () => {
      await lose();
      await before();
      const { state } = await t.status(id);
      expect(await result(worker, given)).toBe(false);
      expect(await t.status(id)).toMatchObject({ state });
      expect(await counts()).toMatchObject({ completed: 0, ignored: 1 });
    });
  }

  test("does not count if its own attempt had sent chunks", async () => {
    await chunkOf("a");
    await lose();
    expect(await result("a")).toBe(false);
  });

  test("R5: does not count in another run, after a retry", async () => {
    await result("a", { output: undefined, error: bytes('"no"') });
    await retry(t.engine, t.endpoint, id);
    await t.take(t.worker("b"));
    expect(await result("a")).toBe(false);
    expect((await t.status(id)).state).toBe("IN_PROGRESS");
  });

  test("R12, late result first: the result of the attempt that runs changes nothing", async () => {
    await lose();
    await t.take(t.worker("b"));
    const both = () => [result("a"), result("b")] as const;
    expect(await Promise.all(both())).toEqual([true, false]);
    expect(text((await t.status(id)).output)).toBe('"of a"');
  });

  test("R12, result first: the late one changes nothing", async () => {
    await lose();
    await t.take(t.worker("b"));
    expect([await result("b"), await result("a")]).toEqual([true, false]);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", worker: "b" });
  });

  const lossAndResult = () => [lose(), result("a")] as const;

  test("R12, loss first: the result that comes after it counts anyway", async () => {
    const [, isAccepted] = await inOrder(t.engine.store, ["giveBack", "complete"], lossAndResult);
    expect(isAccepted).toBe(true);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", worker: "a", losses: 1 });
  });

  test("R12, result first: the loss that comes after it changes nothing", async () => {
    const [, isAccepted] = await inOrder(t.engine.store, ["complete", "giveBack"], lossAndResult);
    expect(isAccepted).toBe(true);
    expect(await t.status(id)).toMatchObject({ state: "COMPLETED", worker: "a", losses: 0 });
  });
});
