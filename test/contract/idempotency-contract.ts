import { describe, expect, test } from "bun:test";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

const DIGEST = new Uint8Array(32).fill(7);
const UNTIL = START + 100_000;
const KEYED = { idempotency: { key: "key", digest: DIGEST, until: UNTIL } };

/** A key makes one job, and remembers it for its time, whatever becomes of the job. */
export function idempotencyContract(open: OpenStore): void {
  describe("idempotency", () => {
    const store = sharedStore(open);

    test("design row 22: a key that has made a job makes no other, also within one call", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const [first, second] = await queue.sendAll([
        steps.enqueue("a", 1, KEYED),
        steps.enqueue("b", 2, KEYED),
      ]);
      expect(first).toEqual({ accepted: true });
      expect(second).toEqual({ accepted: false, earlier: { id: "a", digest: DIGEST, state: "IN_QUEUE" } });
      expect(await store().job(queue.endpoint, "b")).toBeUndefined();
      expect((await store().counts(queue.endpoint))?.queued).toBe(1);
    });

    test("design row 22: a key of one endpoint says nothing of another", async () => {
      const [one, other] = [await queueOn(store()), await queueOn(store())];
      await one.send(one.steps.enqueue("a", 1, KEYED));
      expect(await other.send(other.steps.enqueue("a", 1, KEYED))).toEqual({ accepted: true });
    });

    test("design row 22: it returns the state of the job, the last one if the job is deleted", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const again = async (now?: number) => (await queue.send(steps.enqueue("x", 9, KEYED), now)).earlier;
      await queue.send(steps.enqueue("a", 1, { ...KEYED, retention: 1_000 }));
      await queue.send(steps.take("worker"));
      expect(await again()).toMatchObject({ id: "a", state: "IN_PROGRESS" });
      await queue.send(steps.finish("fail", "a", { worker: "worker" }));
      const forget = { step: "forget", limit: 100, contactsBefore: 0, pastWorkersBefore: 0 } as const;
      await queue.send(forget, START + 1_000);
      expect(await store().job(queue.endpoint, "a")).toBeUndefined();
      expect(await again(START + 1_000)).toEqual({ id: "a", digest: DIGEST, state: "FAILED" });
    });

    test("design row 22: a job that purge-queue removed was CANCELLED", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("a", 1, KEYED));
      await queue.send(queue.steps.purge());
      const { earlier } = await queue.send(queue.steps.enqueue("b", 2, KEYED));
      expect(earlier).toMatchObject({ id: "a", state: "CANCELLED" });
    });

    test("design row 22: when its time is over it makes a job again, forgotten or not", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.send(steps.enqueue("a", 1, KEYED));
      const later = { idempotency: { ...KEYED.idempotency, until: UNTIL + 100_000 } };
      expect(await queue.send(steps.enqueue("b", 2, later), UNTIL)).toEqual({ accepted: true });
      expect((await queue.send(steps.enqueue("c", 3, later), UNTIL)).earlier?.id).toBe("b");
      await queue.send(
        { step: "forget", limit: 100, contactsBefore: 0, pastWorkersBefore: 0 },
        UNTIL + 100_000,
      );
      expect(await queue.send(steps.enqueue("d", 4, later), UNTIL)).toEqual({ accepted: true });
    });

    test("design row 22: a retried job stays the one of its key", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.send(steps.enqueue("a", 1, KEYED));
      await queue.send(steps.take("worker"));
      await queue.send(steps.finish("fail", "a", { worker: "worker" }));
      await queue.send(steps.retry("a", 2));
      expect((await queue.send(steps.enqueue("b", 3, KEYED))).earlier).toMatchObject({
        id: "a",
        state: "IN_QUEUE",
      });
    });
  });
}
