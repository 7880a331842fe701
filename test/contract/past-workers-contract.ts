import { describe, expect, test } from "bun:test";
import type { NewPastWorker } from "../../src/store/past-workers.ts";
import type { Store } from "../../src/store/store.ts";
import { forget } from "../model/forget.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { put, record, remove } from "./put-record.ts";
import { queueOn, START } from "./queue.ts";

const GPUS = [
  { uuid: "GPU-0", name: "NVIDIA L40S" },
  { uuid: "GPU-1", name: 'a "model"' },
];

/** What stays of workers after their records. `whyNot` says why a store cannot be opened again. */
export function pastWorkersContract(open: OpenStore, whyNot: string | undefined): void {
  describe("past workers", () => {
    const opened = freshStore(open);

    test("a removed worker stays with its host and GPUs, and is read by endpoint and id", async () => {
      const { store } = opened();
      const [{ endpoint }, other] = [await queueOn(store), await queueOn(store)];
      const w1 = { endpoint, host: "gpu-1", gpus: GPUS, startedAt: START - 5_000 };
      const w2 = { endpoint, host: "local", gpus: [], startedAt: undefined };
      await end(store, "w1", w1, START);
      await end(store, "w2", w2, START + 1);
      await end(store, "w3", { ...w2, endpoint: other.endpoint }, START);

      const found = await store.pastWorkers(endpoint, ["w3", "w2", "w1", "w0"]);
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { ...w1, id: "w1", removedAt: START },
        { ...w2, id: "w2", removedAt: START + 1 },
      ]);
      expect(await store.pastWorkers(endpoint, ["w2"])).toHaveLength(1);
      expect(await store.pastWorkers(endpoint, [])).toEqual([]);
    });

    test("nothing stays of a record that is not removed, or is removed without that", async () => {
      const { store } = opened();
      const past = await pastOn(store);
      await put(store, record({ kind: "worker", id: "w1" }));
      await remove(store, "worker", "w1");
      const step = { step: "remove", kind: "worker", id: "w1", past } as const;
      const [{ outcome }] = await store.apply([step], START);
      expect(outcome).toBe("absent");
      expect(await store.pastWorkers(past.endpoint, ["w1"])).toEqual([]);
    });

    test("they go with their endpoint, and a removed endpoint gets none", async () => {
      const { store } = opened();
      const [past, other] = [await pastOn(store), await pastOn(store)];
      await end(store, "w1", past, START);
      await end(store, "w2", other, START);
      await remove(store, "endpoint", past.endpoint);
      expect(await store.pastWorkers(past.endpoint, ["w1"])).toEqual([]);
      await end(store, "w3", past, START);
      expect(await store.pastWorkers(past.endpoint, ["w3"])).toEqual([]);
      expect(await store.pastWorkers(other.endpoint, ["w2"])).toHaveLength(1);
    });

    test("those that were removed before a time are forgotten, a limited number at once", async () => {
      const { store } = opened();
      const past = await pastOn(store);
      const ids = ["w0", "w1", "w2", "w3"];
      for (const [index, id] of ids.entries()) await end(store, id, past, START + index);
      const left = async () => (await store.pastWorkers(past.endpoint, ids)).map(({ id }) => id).toSorted();
      const forgetBefore = async (before: number, limit: number) => {
        const [answer] = await store.apply([forget(limit, 0, before)], START + 100);
        return answer;
      };

      expect(await forgetBefore(START, 10)).toEqual({ count: 0 });
      expect(await left()).toEqual(ids);
      expect(await forgetBefore(START + 3, 2)).toEqual({ count: 0, hasMore: true });
      expect(await left()).toEqual(["w2", "w3"]);
      expect(await forgetBefore(START + 3, 2)).toEqual({ count: 0 });
      expect(await left()).toEqual(["w3"]);
    });

    test.skipIf(whyNot !== undefined)("they are there when the data is opened again", async () => {
      const { store, reopen } = opened();
      if (reopen === undefined) throw new Error("this store cannot be opened again, and gave no reason");
      const past = await pastOn(store);
      await end(store, "w1", past, START);
      const again = await reopen();
      expect(await again.pastWorkers(past.endpoint, ["w1"])).toEqual([
        { ...past, id: "w1", removedAt: START },
      ]);
    });
  });
}

/** A worker of a new endpoint. */
async function pastOn(store: Store): Promise<NewPastWorker> {
  const { endpoint } = await queueOn(store);
  return { endpoint, host: "gpu-1", gpus: GPUS, startedAt: START };
}

/** Puts the record of a worker, and removes it. */
async function end(store: Store, id: string, past: NewPastWorker, now: number): Promise<void> {
  await put(store, record({ kind: "worker", id }));
  await store.apply([{ step: "remove", kind: "worker", id, past }], now);
}
