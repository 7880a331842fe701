import { describe, expect, test } from "bun:test";
import type { ConfigurationRecord } from "../../src/store/configuration-record.ts";
import type { RecordLimit } from "../../src/store/record-steps.ts";
import type { Store } from "../../src/store/store.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { START } from "./queue.ts";

/** How many records an account can have, and how large. */
export function recordLimitsContract(open: OpenStore): void {
  describe("the limits of records", () => {
    const opened = freshStore(open);

    test("of records put at the same time an account gets as many as the limit says", async () => {
      const { store } = opened();
      const limit = { records: 3, bytes: undefined };
      const putAs = (id: string, given: Partial<ConfigurationRecord> = {}) =>
        put(store, record({ id, name: `name-${id}`, ...given }), limit);

      const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => putAs(`r${index}`)));

      expect(outcomes.toSorted()).toEqual([...Array(5).fill("tooMany"), ...Array(3).fill("written")]);
      expect(await putAs("other", { account: "account-2" })).toBe("written");
      expect(await putAs("worker", { kind: "worker", name: null })).toBe("written");
      const id = `r${outcomes.indexOf("written")}`;
      expect(await putAs(id, { version: 2 })).toBe("written");
      await store.apply([{ step: "remove", kind: "template", id }], START);
      expect(await putAs("again")).toBe("written");
      expect(await putAs("more")).toBe("tooMany");
    });

    test("the bytes of an account's records keep to the limit; a record can always shrink", async () => {
      const { store } = opened();
      const putOf = (id: string, size: number, version = 1) => {
        const body = JSON.stringify("ä".repeat((size - 2) / 2));
        return put(store, record({ id, name: id, version, body }), { records: 10, bytes: 1_000 });
      };

      expect(await putOf("a", 600)).toBe("written");
      expect(await putOf("b", 402)).toBe("tooLarge");
      expect(await putOf("b", 400)).toBe("written");
      expect(await putOf("a", 602, 2)).toBe("tooLarge");
      expect(await putOf("a", 598, 2)).toBe("written");
      expect(await putOf("b", 402, 2)).toBe("written");
      expect(await putOf("b", 404, 3)).toBe("tooLarge");
    });
  });
}

function record(given: Partial<ConfigurationRecord>): ConfigurationRecord {
  return { kind: "template", id: "a", account: "account-1", name: null, version: 1, body: "{}", ...given };
}

async function put(store: Store, written: ConfigurationRecord, limit: RecordLimit) {
  const [{ outcome }] = await store.apply([{ step: "put", record: written, limit }], START);
  return outcome;
}
