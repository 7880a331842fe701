import { describe, expect, test } from "bun:test";
import { RECORD_BYTES } from "../../src/domain/history.ts";
import { isStored, type Payload } from "../../src/domain/payload.ts";
import type { RecordEnded } from "../../src/store/history-steps.ts";
import type { Store } from "../../src/store/store.ts";
import { bytes } from "../model/bytes.ts";
import { forget } from "../model/forget.ts";
import { until } from "../support/until.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const OF_FAILED = { all: [], none: [] } as const;

const LATER = START + 10 * 86_400_000;

const BODY = '{"input":{"prompt":"a cat"},"policy":{"tags":["x"]}}';

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
      expect((await queue.job("a")).tags).toEqual(policy.tags);
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

  historyRemovalContract(open);
}

/** What goes, and when. */
function historyRemovalContract(open: OpenStore): void {
  describe("history: removal", () => {
    const opened = freshStore(open);

    test("a job that is forgotten has a record, also one that nobody asked for", async () => {
      const queue = await queueOn(opened().store);
      const { steps, endpoint, store } = queue;
      const large = await store.writePayload(bytes(`{"input":{"text":"${"x".repeat(70_000)}"}}`));
      const ids = ["a", "b", "c", "d"];
      await queue.sendAll(
        ids.map((id, index) => steps.enqueue(id, index, id === "d" ? { body: large } : {})),
      );
      await queue.send(steps.take(OWNER, { count: 4 }));
      await queue.sendAll([steps.finish("complete", "a"), steps.cancel("b")]);
      await queue.sendAll(["c", "d"].map((id) => steps.finish("fail", id, { error: bytes('"no"') })));

      const step = { ...forget(2), history: OF_FAILED };
      while ((await queue.send(step, LATER)).hasMore);
      const found = await Promise.all(ids.map((id) => store.pastJob(endpoint, id)));
      const states = ["COMPLETED", "CANCELLED", "FAILED", "FAILED"] as const;
      expect(found.map((past) => past?.state)).toEqual([...states]);
      expect(found.map((past) => past?.error)).toEqual([undefined, undefined, "no", "no"]);
      expect(await inputOf(store, endpoint, "d")).toHaveLength(70_021);
      expect(await Promise.all(ids.map((id) => store.job(endpoint, id)))).toEqual(ids.map(() => undefined));
    });

    test("without history a job that is forgotten leaves nothing", async () => {
      const queue = await queueOn(opened().store);
      await queue.sendAll(stepsInto("FAILED", queue.steps, "a"));
      await queue.send(forget(), LATER);

      expect(await queue.store.pastJob(queue.endpoint, "a")).toBeUndefined();
    });

    test("what ended before a time goes, in the order in which it was written", async () => {
      const queue = await queueOn(opened().store);
      await pastJobs(queue, 5);

      const old = { step: "trimHistory", before: START + 3, maxBytes: Infinity, limit: 2 } as const;
      expect(await queue.send(old)).toEqual({ count: 2, hasMore: true });
      expect(await queue.send(old)).toEqual({ count: 1 });
      expect(await queue.send(old)).toEqual({ count: 0 });
      expect(await idsOf(queue)).toEqual(["4", "3"]);
    });

    test("over the limit of bytes the oldest go, with their inputs", async () => {
      const queue = await queueOn(opened().store);
      const { store, endpoint } = queue;
      await pastJobs(queue, 5);
      const size = RECORD_BYTES + 2 * BODY.length;

      const trim = { step: "trimHistory", before: 0, maxBytes: 3 * size, limit: 10 } as const;
      expect(await queue.send(trim)).toEqual({ count: 2 });
      expect(await idsOf(queue)).toEqual(["4", "3", "2"]);
      expect(await queue.send({ step: "clearHistory", endpoint, limit: 1 })).toEqual({ count: 1 });
      await pastJobs(queue, 1);
      expect(await queue.send(trim)).toEqual({ count: 0 });
      expect(await queue.send({ ...trim, maxBytes: 0 })).toEqual({ count: 3 });
      expect(await store.pastEndpoints()).toEqual([]);
    });

    test("a large input goes with its record, and stays as long as the job has it", async () => {
      const { store, outsideRows } = opened();
      const queue = await queueOn(store);
      const { steps, endpoint } = queue;
      const body = await store.writePayload(bytes(`{"input":{"text":"${"x".repeat(70_000)}"}}`));
      await queue.sendAll([
        steps.enqueue("a", 1, { body }),
        steps.finish("timeOut", "a"),
        record(queue, "a"),
      ]);
      await queue.send({ step: "clearHistory", endpoint, limit: 9 });
      expect(await textOf(store, await store.body(endpoint, "a"))).toHaveLength(70_021);

      await queue.send(record(queue, "a"));
      await queue.send(steps.retry("a", 2, START));
      expect(await textOf(store, await store.body(endpoint, "a"))).toHaveLength(70_021);
      await queue.sendAll([steps.finish("timeOut", "a"), record(queue, "a")]);
      await queue.send(forget(), LATER);
      expect(await inputOf(store, endpoint, "a")).toHaveLength(70_021);
      await queue.send({ step: "clearHistory", endpoint, limit: 9 });
      expect(await inputOf(store, endpoint, "a")).toBeUndefined();
      // Files go a little later.
      if (outsideRows !== undefined) await until("it is gone", async () => (await outsideRows()) === 0);
    });

    test("the records of a deleted endpoint are named, and go; none are written any more", async () => {
      const [queue, other] = [await queueOn(opened().store), await queueOn(opened().store)];
      const { store, endpoint } = queue;
      await pastJobs(queue, 3);
      await pastJobs(other, 1);
      await queue.sendAll(stepsInto("FAILED", queue.steps, "late", 9));
      await queue.send({ step: "remove", kind: "endpoint", id: endpoint });
      expect(await queue.send(record(queue, "late"))).toEqual({ count: 0 });
      await queue.send({ ...forget(), history: OF_FAILED }, LATER);

      expect((await store.pastEndpoints()).toSorted()).toEqual([endpoint, other.endpoint].toSorted());
      expect(await queue.send({ step: "clearHistory", endpoint, limit: 2 })).toEqual({ count: 2 });
      expect(await queue.send({ step: "clearHistory", endpoint, limit: 2 })).toEqual({ count: 1 });
      expect(await store.pastEndpoints()).toEqual([other.endpoint]);
      expect(await idsOf(other)).toEqual(["0"]);
    });
  });
}

function record({ endpoint }: Queue, ...ids: string[]): RecordEnded {
  return { step: "recordEnded", jobs: ids.map((id) => ({ endpoint, id })), inputs: OF_FAILED };
}

/** Jobs 0, 1, 2 … that time out one ms after the other, with their records. */
async function pastJobs(queue: Queue, count: number): Promise<void> {
  const { steps } = queue;
  for (let index = 0; index < count; index++) {
    const id = String(index);
    const job = await queue.store.job(queue.endpoint, id);
    if (job === undefined) await queue.send(steps.enqueue(id, index, { body: bytes(BODY) }));
    await queue.sendAll([steps.finish("timeOut", id), record(queue, id)], START + index);
  }
}

async function idsOf({ store, endpoint }: Queue): Promise<string[]> {
  const { records } = await store.history({ endpoints: [endpoint] }, undefined, 100, 100);
  return records.map(({ id }) => id);
}

async function inputOf(store: Store, endpoint: string, id: string): Promise<string | undefined> {
  const input = await store.pastInput(endpoint, id);
  return input && textOf(store, input);
}

async function textOf(store: Store, payload: Payload | undefined): Promise<string> {
  if (payload === undefined) throw new Error("there is no payload");
  return new TextDecoder().decode(await store.readPayload(payload));
}
