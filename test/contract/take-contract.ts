import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { bytes } from "../model/bytes.ts";
import { rejection } from "../support/rejection.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** Hand-out: who gets which job, in what order, and until when. */
export function takeContract(open: OpenStore): void {
  describe("take", () => {
    const store = sharedStore(open);

    test("P7: the lowest position goes first, in whatever order the jobs came", async () => {
      const queue = await queueWith({ c: 30, a: 10, b: 20 });

      expect(await take(queue, 3)).toEqual(["a", "b", "c"]);
    });

    test("P7: a job that was given back stands in front", async () => {
      const queue = await queueWith({ a: 1, b: 2, c: 3 });
      await take(queue, 2);
      await queue.send(queue.steps.giveBack("b", 1));

      expect(await take(queue, 3)).toEqual(["b", "c"]);
    });

    test("P7: a retried job stands at the end, where its new position is", async () => {
      const queue = await queueWith({ a: 1, b: 2 });
      await take(queue, 1);
      await queue.send(queue.steps.finish("fail", "a"));
      await queue.send(queue.steps.retry("a", 3));

      expect(await take(queue, 2)).toEqual(["b", "a"]);
    });

    test("P7: as many as asked for, and no more than there are", async () => {
      const queue = await queueWith({ a: 1, b: 2, c: 3 });

      expect(await take(queue, 2)).toEqual(["a", "b"]);
      expect(await take(queue, 2)).toEqual(["c"]);
      expect(await take(queue, 2)).toEqual([]);
    });

    for (const count of [0, -1, 1.5, Number.NaN]) {
      test(`P7: a take of ${count} jobs is a fault, and takes none`, async () => {
        const queue = await queueWith({ a: 1, b: 2 });

        expect(await rejection(take(queue, count))).toBe(`a take of ${count} jobs`);
        expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 2, running: 0 });
      });
    }

    test("P7: low priority does not change the order", async () => {
      const queue = await queueOn(store());
      const policy = { ...DEFAULT_POLICY, lowPriority: true };
      await queue.send(queue.steps.enqueue("low", 1, { policy }));
      await queue.send(queue.steps.enqueue("high", 2));

      expect(await take(queue, 2)).toEqual(["low", "high"]);
    });

    test("P1: a submission and its hand-out are one call", async () => {
      const queue = await queueOn(store());

      const [enqueued, taken] = await queue.sendAll([
        queue.steps.enqueue("a", 1),
        queue.steps.take("worker"),
      ]);

      expect(enqueued).toEqual({ accepted: true });
      expect(taken.map((job) => job.id)).toEqual(["a"]);
    });

    test("P4: each hand-out is one attempt more, with the body and the secrets of the job", async () => {
      const queue = await queueOn(store());
      const body = bytes('{"input":1}');
      const secret = bytes("sealed");
      const webhook = bytes("sealed too");
      const hook = { sealed: webhook, receiver: "a.example:443" };
      await queue.send(queue.steps.enqueue("a", 1, { body, secret, webhook: hook }));
      const first = await queue.send(queue.steps.take("worker"));
      await queue.send(queue.steps.giveBack("a", 1));
      const second = await queue.send(queue.steps.take("worker"));

      expect(first).toEqual([{ id: "a", attempt: 1, body, secret, webhook }]);
      expect(second).toEqual([{ id: "a", attempt: 2, body, secret, webhook }]);
    });

    test("P13: a job whose ttl is over is skipped, and the next one is not", async () => {
      const queue = await queueOn(store());
      const policy = { ...DEFAULT_POLICY, ttl: 10_000 };
      await queue.send(queue.steps.enqueue("short", 1, { policy }));
      await queue.send(queue.steps.enqueue("long", 2));

      expect(await take(queue, 2, START + 10_000)).toEqual(["long"]);
    });

    test("P13: until its last millisecond a job is handed out", async () => {
      const queue = await queueOn(store());
      const policy = { ...DEFAULT_POLICY, ttl: 10_000 };
      await queue.send(queue.steps.enqueue("short", 1, { policy }));

      expect(await take(queue, 1, START + 9_999)).toEqual(["short"]);
    });

    test("R6: a barred worker gets the job only when the bar is over", async () => {
      const queue = await queueWith({ a: 1, b: 2 });
      await take(queue, 1);
      await queue.send(queue.steps.giveBack("a", 1, { barUntil: START + 500 }));

      expect(await take(queue, 2, START + 499)).toEqual(["b"]);
      expect(await take(queue, 2, START + 500)).toEqual(["a"]);
    });

    test("R6: a retried job is kept from the worker that may still run the last attempt", async () => {
      const queue = await queueWith({ a: 1 });
      await take(queue, 1);
      await queue.send(queue.steps.finish("timeOut", "a"));
      await queue.send(queue.steps.retry("a", 2, START + 500));

      expect(await take(queue, 1, START + 499)).toEqual([]);
      expect(await take(queue, 1, START + 500)).toEqual(["a"]);
    });

    test("R6: a bar keeps nobody else away, and ends with the next hand-out", async () => {
      const queue = await queueWith({ a: 1 });
      await take(queue, 1);
      await queue.send(queue.steps.giveBack("a", 1, { barUntil: START + 500 }));
      const [other] = await queue.send(queue.steps.take("other"));
      await queue.send(queue.steps.giveBack("a", 2));

      expect(other?.attempt).toBe(2);
      expect(await take(queue, 1)).toEqual(["a"]);
    });

    test("P4: takers in flight never get the same job, and together get all", async () => {
      const ids = Array.from({ length: 60 }, (_, index) => `job-${index}`);
      const queue = await queueWith(Object.fromEntries(ids.map((id, index) => [id, index])));

      const hauls = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          queue.send(queue.steps.take(`worker-${index}`, { count: 1 + (index % 4) })),
        ),
      );

      const handedOut = hauls.flat().map((job) => job.id);
      expect(handedOut.toSorted()).toEqual(ids.toSorted());
    });

    test("T1: a hand-out keeps to its endpoint", async () => {
      const mine = await queueWith({ a: 1 });
      const theirs = await queueWith({ a: 1 });

      expect(await take(mine, 2)).toEqual(["a"]);
      expect((await theirs.job("a")).state).toBe("IN_QUEUE");
    });

    describe("P17: the job is due when the first of its deadlines is", () => {
      for (const [first, policy, lease, due] of [
        ["delivery lease", { ttl: 30_000, executionTimeout: 20_000 }, 5_000, 5_100],
        ["execution timeout", { ttl: 30_000, executionTimeout: 20_000 }, 25_000, 20_100],
        ["ttl", { ttl: 30_000, executionTimeout: 40_000 }, 50_000, 30_000],
      ] as const) {
        test(first, async () => {
          const queue = await queueOn(store());
          await queue.send(queue.steps.enqueue("a", 1, { policy: { ...policy, lowPriority: false } }));
          await queue.send(queue.steps.take("worker", { deliveryLease: lease }), START + 100);

          const job = await queue.job("a");
          expect(job.takenAt).toBe(START + 100);
          expect(job.dueAt).toBe(START + due);
        });
      }
    });

    /** An endpoint with a job for each position. */
    async function queueWith(positions: Record<string, number>): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(
        Object.entries(positions).map(([id, position]) => queue.steps.enqueue(id, position)),
      );
      return queue;
    }
  });
}

/** Ids of the jobs that the worker gets. */
async function take(queue: Queue, count: number, now = START): Promise<string[]> {
  const taken = await queue.send(queue.steps.take("worker", { count }), now);
  return taken.map((job) => job.id);
}
