import { describe, expect, test } from "bun:test";
import type { LedgerDevice } from "../../src/store/allocations.ts";
import type { ConfigurationRecord } from "../../src/store/configuration-record.ts";
import type { Store } from "../../src/store/store.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { put, record, remove } from "./put-record.ts";
import { START } from "./queue.ts";

const [A, B] = [card("gpu-a"), card("gpu-b")];
const [SLICE_1, SLICE_2] = [sliceOf(A, "mig-1"), sliceOf(A, "mig-2")];

/** The devices of workers (decision 0039). `whyNot` says why a store cannot be opened again. */
export function allocationsContract(open: OpenStore, whyNot: string | undefined): void {
  describe("devices of workers", () => {
    const opened = freshStore(open);

    test("a worker gets all its devices with its record, and they are free when it is removed", async () => {
      const { store } = opened();
      expect(await store.allocations()).toEqual([]);

      expect(await putWorker(store, "w1", [B, A])).toBe("written");
      expect(await store.allocations()).toEqual([rowOf("w1", A), rowOf("w1", B)]);
      expect(await put(store, worker("w1", { version: 2, body: '"runs"' }))).toBe("written");
      await put(store, record({ kind: "key", id: "w1" }));
      await remove(store, "key", "w1");
      expect(await store.allocations()).toEqual([rowOf("w1", A), rowOf("w1", B)]);

      expect(await remove(store, "worker", "w1")).toBe("removed");
      expect(await store.allocations()).toEqual([]);
      expect(await putWorker(store, "w2", [A])).toBe("written");
      expect(await store.allocations()).toEqual([rowOf("w2", A)]);
    });

    test("of a worker whose device is taken nothing is written", async () => {
      const { store } = opened();
      await putWorker(store, "w1", [A]);
      const before = await store.changesSince(0);

      expect(await putWorker(store, "w2", [B, A])).toBe("deviceTaken");

      expect(await store.changesSince(0)).toEqual(before);
      expect(await store.allocations()).toEqual([rowOf("w1", A)]);
      expect(await putWorker(store, "w2", [B])).toBe("written");
    });

    test("a device is taken on every host: two hosts can be one machine", async () => {
      const { store } = opened();
      await putWorker(store, "w1", [A], "local");
      expect(await putWorker(store, "w2", [A], "docker")).toBe("deviceTaken");
    });

    test("a card and its slices exclude each other; the slices do not", async () => {
      const { store } = opened();
      expect(await putWorker(store, "w1", [SLICE_1])).toBe("written");
      expect(await putWorker(store, "w2", [A])).toBe("deviceTaken");
      expect(await putWorker(store, "w2", [SLICE_1])).toBe("deviceTaken");
      expect(await putWorker(store, "w2", [SLICE_2])).toBe("written");
      await remove(store, "worker", "w1");
      expect(await putWorker(store, "w3", [A])).toBe("deviceTaken");
      await remove(store, "worker", "w2");
      expect(await putWorker(store, "w3", [A])).toBe("written");
      expect(await putWorker(store, "w4", [SLICE_2])).toBe("deviceTaken");
    });

    test("of workers put at the same time one gets the device", async () => {
      const { store } = opened();
      const ids = Array.from({ length: 8 }, (_, index) => `w${index}`);

      const outcomes = await Promise.all(ids.map((id) => putWorker(store, id, [A])));

      expect(outcomes.toSorted()).toEqual([...Array(7).fill("deviceTaken"), "written"]);
      const winner = ids[outcomes.indexOf("written")] ?? "";
      expect(await store.allocations()).toEqual([rowOf(winner, A)]);
    });

    test("the steps of one call see the devices of those before", async () => {
      const { store } = opened();
      const allocation = { host: "local", devices: [A] };
      const answers = await store.apply(
        [
          { step: "put", record: worker("w1"), allocation },
          { step: "put", record: worker("w2"), allocation },
          { step: "remove", kind: "worker", id: "w1" },
          { step: "put", record: worker("w3"), allocation },
        ],
        START,
      );
      expect(answers.map(({ outcome }) => outcome)).toEqual(["written", "deviceTaken", "removed", "written"]);
      expect(await store.allocations()).toEqual([rowOf("w3", A)]);
    });

    test("a record that is refused for another reason gets no device", async () => {
      const { store } = opened();
      const allocation = { host: "local", devices: [A] };
      const late = worker("w1", { version: 2 });
      const [answer] = await store.apply([{ step: "put", record: late, allocation }], START);
      expect(answer.outcome).toBe("versionConflict");
      expect(await store.allocations()).toEqual([]);
    });

    test.skipIf(whyNot !== undefined)("the devices are there when the data is opened again", async () => {
      const { store, reopen } = opened();
      if (reopen === undefined) throw new Error("this store cannot be opened again, and gave no reason");
      await putWorker(store, "w1", [A]);
      const again = await reopen();
      expect(await again.allocations()).toEqual([rowOf("w1", A)]);
      expect(await putWorker(again, "w2", [A])).toBe("deviceTaken");
    });
  });
}

function card(uuid: string): LedgerDevice {
  return { device: uuid, card: uuid };
}

function sliceOf({ card: of }: LedgerDevice, uuid: string): LedgerDevice {
  return { device: uuid, card: of };
}

function worker(id: string, given: Partial<ConfigurationRecord> = {}): ConfigurationRecord {
  return record({ kind: "worker", id, ...given });
}

function rowOf(id: string, device: LedgerDevice) {
  return { ...device, host: "local", worker: id };
}

async function putWorker(store: Store, id: string, devices: readonly LedgerDevice[], host = "local") {
  const step = { step: "put", record: worker(id), allocation: { host, devices } } as const;
  const [{ outcome }] = await store.apply([step], START);
  return outcome;
}
