import { describe, expect, test } from "bun:test";
import { isStored, type Payload } from "../../src/domain/payload.ts";
import { tagsIn } from "../../src/domain/tags.ts";
import type { RecordEnded } from "../../src/store/history-steps.ts";
import type { Store } from "../../src/store/store.ts";
import { bytes } from "../model/bytes.ts";
import { forget } from "../model/forget.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

export const OF_FAILED = { all: [], none: [] } as const;

/** When every retention is over. */
export const LATER = START + 10 * 86_400_000;

export const BODY = '{"input":{"prompt":"a cat"},"policy":{"tags":["x"]}}';

/** Stored in a row of its own, and outside the database. */
const SIZES = [10, 3_000, 70_000];

/** The records of finished jobs (decision 0040). */
export function historyContract(open: OpenStore): void {
  describe("history", () => {
    const store = sharedStore(open);

    test("a record says how the job went", async () => {
      const queue = await queueOn(store());
      const { steps, endpoint } = queue;
      const policy = { executionTimeout: 1_000, ttl: 60_000, lowPriority: false, tags: ["red", 'a "b"'] };
      await queue.send(steps.enqueue("a", 1, { body: bytes(BODY), policy }));
      await queue.send(steps.take(OWNER), START + 10);
      await queue.send(steps.finish("complete", "a", { output: bytes('"done"') }), START + 70);

      expect(await queue.send(record(queue, "a"))).toEqual({ count: 1 });
      expect(await store().pastJob(endpoint, "a")).toEqual({
        endpoint,
        id: "a",
        state: "COMPLETED",
        queuedAt: START,
        startedAt: START + 10,
        endedAt: START + 70,
        worker: OWNER,
        attempts: 1,
        inputBytes: BODY.length,
        outputBytes: 6,
        tags: ["red", 'a "b"'],
        error: undefined,
        inputStart: '{"prompt":"a cat"}',
        keepsInput: false,
      });
      expect(tagsIn((await queue.job("a")).tags)).toEqual(policy.tags);
    });

    test.each(["FAILED", "TIMED_OUT", "CANCELLED"] as const)(
      "a record of a job that is %s",
      async (state) => {
        const queue = await queueOn(store());
        await queue.sendAll([...stepsInto(state, queue.steps, "a"), record(queue, "a")]);

        const isFailure = state !== "CANCELLED";
        const expected = { state, attempts: 2, worker: OWNER, keepsInput: isFailure, tags: [] };
        expect(await store().pastJob(queue.endpoint, "a")).toMatchObject(expected);
      },
    );

    test("an error is text, of a long one the beginning, and has no NUL", async () => {
      const queue = await queueOn(store());
      const { steps, endpoint } = queue;
      const texts = [
        'line 1\n"line 2"',
        "CUDA\0 é",
        "ä".repeat(20_000),
        "z".repeat(5_000),
        "x".repeat(70_000),
      ];
      for (const [index, text] of texts.entries()) {
        const error = await store().writePayload(bytes(JSON.stringify(text)));
        const id = String(index);
        await queue.sendAll([steps.enqueue(id, index), steps.take(OWNER)]);
        await queue.sendAll([steps.finish("fail", id, { error }), record(queue, id)]);
      }
      const errors = await Promise.all(
        texts.map(async (_text, index) => (await store().pastJob(endpoint, String(index)))?.error),
      );
      const [short, nul] = texts;
      expect(errors).toEqual([
        short,
        nul?.replace("\0", "\uFFFD"),
        "ä".repeat(1_024),
        "z".repeat(2_048),
        undefined,
      ]);
    });

    test("an error that is no JSON, and a job without a start, are no obstacle", async () => {
      const queue = await queueOn(store());
      const { steps, endpoint } = queue;
      await queue.sendAll([
        steps.enqueue("a", 1, { body: bytes("[]") }),
        steps.finish("timeOut", "a", { error: bytes("oh no") }),
        record(queue, "a"),
      ]);

      const expected = { state: "TIMED_OUT", startedAt: undefined, attempts: 0, error: undefined };
      expect(await store().pastJob(endpoint, "a")).toMatchObject({ ...expected, inputStart: undefined });
    });

    test("jobs that wait, run, are unknown or have a record already are left out", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.sendAll(["a", "b", "c"].map((id, index) => steps.enqueue(id, index)));
      await queue.sendAll([steps.take(OWNER, { count: 2 }), steps.finish("complete", "a")]);

      expect(await queue.send(record(queue, "a", "b", "c", "d", "a"))).toEqual({ count: 1 });
      expect(await queue.send(record(queue, "a", "b", "c", "d"))).toEqual({ count: 0 });
    });

    test.each(SIZES)("the input of %d bytes is there when the job is gone", async (size) => {
      const queue = await queueOn(store());
      const { steps, endpoint } = queue;
      const text = `{"input":{"text":"${"x".repeat(size)}"}}`;
      const body = await store().writePayload(bytes(text));
      await queue.sendAll([steps.enqueue("a", 1, { body }), steps.take(OWNER)]);
      await queue.sendAll([steps.finish("fail", "a", { error: bytes('"no"') }), record(queue, "a")]);
      await queue.send(forget(), LATER);

      expect(await store().job(endpoint, "a")).toBeUndefined();
      expect(await inputOf(store(), endpoint, "a")).toBe(text);
      const past = await store().pastJob(endpoint, "a");
      expect(past).toMatchObject({ inputBytes: text.length, keepsInput: true });
      const start = isStored(body) ? undefined : text.slice(9, 209).replace(/\}\}$/, "}");
      expect(past?.inputStart).toBe(start);
    });

    test("the setting of an endpoint decides whose inputs are kept", async () => {
      const queues = [await queueOn(store()), await queueOn(store()), await queueOn(store())];
      const [all = "", none = ""] = queues.map(({ endpoint }) => endpoint);
      const kept = [];
      for (const queue of queues) {
        const [ok, bad] = [
          stepsInto("COMPLETED", queue.steps, "a"),
          stepsInto("FAILED", queue.steps, "b", 2),
        ];
        const step = { ...record(queue, "a", "b"), inputs: { all: [all], none: [none] } };
        await queue.sendAll([...ok, ...bad, step]);
        const texts = ["a", "b"].map((id) => inputOf(store(), queue.endpoint, id));
        kept.push((await Promise.all(texts)).map((text) => text !== undefined));
      }
      expect(kept).toEqual([
        [true, true],
        [false, false],
        [false, true],
      ]);
      const starts = queues.map(async ({ endpoint }) => (await store().pastJob(endpoint, "b"))?.inputStart);
      expect(await Promise.all(starts)).toEqual(["{}", undefined, "{}"]);
    });

    test("a retry removes the record, and the next end writes another one", async () => {
      const queue = await queueOn(store());
      const { steps, endpoint } = queue;
      await queue.sendAll([...stepsInto("FAILED", steps, "a"), record(queue, "a")]);
      await queue.send(steps.retry("a", 9, START));
      expect(await store().pastJob(endpoint, "a")).toBeUndefined();
      expect(await queue.send(record(queue, "a"))).toEqual({ count: 0 });

      await queue.sendAll([steps.take("worker-3"), steps.finish("complete", "a"), record(queue, "a")]);
      const again = { state: "COMPLETED", attempts: 3, worker: "worker-3" };
      expect(await store().pastJob(endpoint, "a")).toMatchObject(again);
    });
  });
}

/** The step that writes the records of these jobs. */
export function record({ endpoint }: Queue, ...ids: string[]): RecordEnded {
  return { step: "recordEnded", jobs: ids.map((id) => ({ endpoint, id })), inputs: OF_FAILED };
}

/** The input in the history as text; undefined if it is not kept. */
export async function inputOf(store: Store, endpoint: string, id: string): Promise<string | undefined> {
  const input = await store.pastInput(endpoint, id);
  return input && textOf(store, input);
}

export async function textOf(store: Store, payload: Payload | undefined): Promise<string> {
  if (payload === undefined) throw new Error("there is no payload");
  return new TextDecoder().decode(await store.readPayload(payload));
}
