import { describe, expect, test } from "bun:test";
import { RECORD_BYTES } from "../../src/domain/history.ts";
import { bytes } from "../model/bytes.ts";
import { forget } from "../model/forget.ts";
import { until } from "../support/until.ts";
import { BODY, inputOf, LATER, OF_FAILED, record, textOf } from "./history-contract.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** Which records of finished jobs go, and when. */
export function historyRemovalContract(open: OpenStore): void {
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
      await pastJobs(queue, 1, 5);
      expect(await queue.send(trim)).toEqual({ count: 0 });
      expect(await queue.send({ ...trim, maxBytes: 0 })).toEqual({ count: 3 });
      expect(await store.pastEndpoints()).toEqual([]);
    });

    test("a record that was trimmed does not come back when its job is forgotten", async () => {
      const queue = await queueOn(opened().store);
      await pastJobs(queue, 5);
      await queue.send({ step: "trimHistory", before: 0, maxBytes: 0, limit: 3 });
      expect(await idsOf(queue)).toEqual(["4", "3"]);

      expect(await queue.send(record(queue, "0", "1", "2"))).toEqual({ count: 0 });
      await queue.send({ ...forget(3), history: OF_FAILED }, LATER);
      expect(await queue.store.job(queue.endpoint, "0")).toBeUndefined();
      expect(await idsOf(queue)).toEqual(["4", "3"]);
      await pastJobs(queue, 1, 5);
      expect(await idsOf(queue)).toEqual(["5", "4", "3"]);
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

/** Jobs 0, 1, 2 … that time out one ms after the other, with their records. */
async function pastJobs(queue: Queue, count: number, first = 0): Promise<void> {
  const { steps } = queue;
  for (let index = first; index < first + count; index++) {
    const id = String(index);
    await queue.send(steps.enqueue(id, index, { body: bytes(BODY) }));
    await queue.sendAll([steps.finish("timeOut", id), record(queue, id)], START + index);
  }
}

async function idsOf({ store, endpoint }: Queue): Promise<string[]> {
  const { records } = await store.history({ endpoints: [endpoint] }, undefined, 100, 100);
  return records.map(({ id }) => id);
}
