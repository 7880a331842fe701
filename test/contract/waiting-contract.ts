import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const LOW = { policy: { ...DEFAULT_POLICY, lowPriority: true } };

/** What scaling asks of the queues. */
export function waitingContract(open: OpenStore): void {
  describe("what waits", () => {
    const store = sharedStore(open);
    const since = (queue: Queue, limit = 10, looked = 10) =>
      store().waitingSince(queue.endpoint, limit, looked);

    test("2.2 lowPriority: when the jobs that count were queued, in the order of the queue", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("low", 1, LOW), START + 1);
      await queue.send(queue.steps.enqueue("taken", 2), START + 2);
      await queue.send(queue.steps.take("worker", { count: 2 }), START + 3);
      await queue.send(queue.steps.enqueue("a", 3), START + 4);
      await queue.send(queue.steps.enqueue("b", 4), START + 5);
      expect(await since(queue)).toEqual([START + 4, START + 5]);
      await queue.sendAll([queue.steps.giveBack("taken", 1), queue.steps.giveBack("low", 1)], START + 6);

      // The job that came back stands in front, and waits since then.
      expect(await since(queue)).toEqual([START + 6, START + 4, START + 5]);
      expect(await since(queue, 2)).toEqual([START + 6, START + 4]);
      expect(await since(queue, 2, 2)).toEqual([START + 6]);
      expect(await since(queue, 2, 1)).toEqual([]);
      expect(await store().waitingSince("no-such-endpoint", 10, 10)).toEqual([]);
    });

    test("4a: only endpoints on which a job waits have a queue, which counts its jobs", async () => {
      const [some, none, done] = [await queueOn(store()), await queueOn(store()), await queueOn(store())];
      await some.sendAll([
        some.steps.enqueue("a", 1, LOW),
        some.steps.enqueue("b", 2),
        some.steps.enqueue("c", 3),
      ]);
      await done.sendAll([done.steps.enqueue("a", 1), done.steps.take("worker")]);

      const queues = new Map((await store().queues()).map(({ endpoint, ...counts }) => [endpoint, counts]));
      expect(queues.get(some.endpoint)).toEqual({ queued: 3, queuedLowPriority: 1 });
      expect([queues.has(none.endpoint), queues.has(done.endpoint)]).toEqual([false, false]);
    });
  });
}
