import { describe, expect, test } from "bun:test";
import type { RecordKind } from "../../src/store/configuration-record.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { put, record, remove } from "./put-record.ts";
import { START } from "./queue.ts";

const KINDS: readonly RecordKind[] = [
  "account",
  "key",
  "endpoint",
  "template",
  "worker",
  "keyUse",
  "endedSessions",
  "registryLogin",
  "templateUse",
  "jobOperation",
];

/** Configuration records: versions, names, and the log of changes that every server follows. */
export function recordsContract(open: OpenStore): void {
  describe("put and remove", () => {
    const opened = freshStore(open);

    for (const kind of KINDS) {
      test(`4a: a ${kind} is put, put anew, and removed`, async () => {
        const { store } = opened();
        const first = record({ kind, body: '{"n":1}' });
        const second = record({ kind, version: 2, body: '{"n":2}' });

        expect(await put(store, first)).toBe("written");
        expect(await store.changesSince(0)).toMatchObject([{ kind, id: "a", record: first }]);
        expect(await put(store, second)).toBe("written");
        expect(await store.changesSince(0)).toMatchObject([{ kind, id: "a", record: second }]);
        expect(await remove(store, kind, "a")).toBe("removed");
        expect((await store.changesSince(0)).map((change) => change.record)).toEqual([undefined]);
        expect(await remove(store, kind, "a")).toBe("absent");
      });
    }

    test("R30: only the next version is written, so of two writers one learns of the other", async () => {
      const { store } = opened();
      expect(await put(store, record({ version: 2 }))).toBe("versionConflict");
      expect(await put(store, record({ version: 1 }))).toBe("written");
      expect(await put(store, record({ version: 1 }))).toBe("versionConflict");
      expect(await put(store, record({ version: 3 }))).toBe("versionConflict");

      const rivals = [record({ version: 2, body: '"x"' }), record({ version: 2, body: '"y"' })];
      const outcomes = await Promise.all(rivals.map((rival) => put(store, rival)));

      expect(outcomes.toSorted()).toEqual(["versionConflict", "written"]);
      const [change] = await store.changesSince(0);
      expect(change?.record).toEqual(rivals[outcomes.indexOf("written")]);
    });

    test("4a: records of two kinds can have one id, and each has versions of its own", async () => {
      const { store } = opened();
      await put(store, record({ version: 1 }));
      await put(store, record({ version: 2 }));
      expect(await put(store, record({ kind: "key", version: 3 }))).toBe("versionConflict");
      expect(await put(store, record({ kind: "key", version: 1 }))).toBe("written");

      expect(await remove(store, "key", "a")).toBe("removed");

      const naming = record({ kind: "endpoint", id: "e" });
      const needs = { kind: "key", id: "a" } as const;
      expect(await store.apply([{ step: "put", record: naming, needs }], START)).toEqual([
        { outcome: "needMissing" },
      ]);
      expect(await put(store, record({ version: 3 }))).toBe("written");
    });

    test("4a: a removed record begins again at version 1", async () => {
      const { store } = opened();
      await put(store, record({ version: 1 }));
      await put(store, record({ version: 2 }));
      await remove(store, "template", "a");

      expect(await put(store, record({ version: 3 }))).toBe("versionConflict");
      expect(await put(store, record({ version: 1 }))).toBe("written");
    });

    test("T1: a record made anew belongs to who made it", async () => {
      const { store } = opened();
      await put(store, record({ account: "account-1", name: "old" }));
      await remove(store, "template", "a");
      const anew = record({ account: "account-2", name: "new" });
      await put(store, anew);

      expect(await store.changesSince(0)).toMatchObject([{ record: anew }]);
      expect(await put(store, record({ id: "b", account: "account-1", name: "new" }))).toBe("written");
      expect(await put(store, record({ id: "c", account: "account-2", name: "new" }))).toBe("nameTaken");
    });

    test("design row 20: a name is unique per kind and account, until it is free again", async () => {
      const { store } = opened();
      await put(store, record({ id: "a", name: "llm" }));

      expect(await put(store, record({ id: "b", name: "llm" }))).toBe("nameTaken");
      expect(await put(store, record({ id: "b", name: "llm", account: "account-2" }))).toBe("written");
      expect(await put(store, record({ id: "c", name: "llm", kind: "key" }))).toBe("written");
      expect(await put(store, record({ id: "a", name: "llm", version: 2 }))).toBe("written");
      expect(await put(store, record({ id: "a", name: "renamed", version: 3 }))).toBe("written");
      expect(await put(store, record({ id: "d", name: "llm" }))).toBe("written");
      await remove(store, "template", "d");
      expect(await put(store, record({ id: "e", name: "llm" }))).toBe("written");
    });

    test("design row 20: of puts in flight with one name exactly one is written", async () => {
      const { store } = opened();
      const rivals = ["a", "b", "c", "d"].map((id) => record({ id, name: "llm" }));

      const outcomes = await Promise.all(rivals.map((rival) => put(store, rival)));

      expect(outcomes.filter((outcome) => outcome === "written")).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === "nameTaken")).toHaveLength(3);
    });

    test("4a: records without a name never collide", async () => {
      const { store } = opened();

      expect(await put(store, record({ id: "a", name: null }))).toBe("written");
      expect(await put(store, record({ id: "b", name: null }))).toBe("written");
    });

    test("4a: what a record needs is there when it is put, and stays while it is named", async () => {
      const { store } = opened();
      const needs = { kind: "template", id: "t" } as const;
      const naming = record({ kind: "endpoint", id: "e", body: '{"templateId":"t"}' });
      const removeTemplate = async () => {
        const unlessNamedBy = { kind: "endpoint", member: "templateId" } as const;
        const [{ outcome }] = await store.apply([{ step: "remove", ...needs, unlessNamedBy }], START);
        return outcome;
      };
      const putNaming = async (version = 1) => {
        const [{ outcome }] = await store.apply(
          [{ step: "put", record: { ...naming, version }, needs }],
          START,
        );
        return outcome;
      };
      expect(await putNaming()).toBe("needMissing");
      await put(store, record({ id: "t" }));
      // Another one that names it elsewhere does not count, nor one of another kind.
      await put(store, record({ kind: "endpoint", id: "f", body: '{"name":"t","templateId":"t2"}' }));
      await put(store, record({ kind: "key", id: "k", body: '{"templateId":"t"}' }));
      expect(await putNaming()).toBe("written");
      expect(await removeTemplate()).toBe("inUse");
      await remove(store, "endpoint", "e");
      expect(await removeTemplate()).toBe("removed");
      expect(await removeTemplate()).toBe("absent");
      expect(await putNaming()).toBe("needMissing");
    });

    test("R30: of a removal and a put that needs the record, at once, one is refused", async () => {
      const { store } = opened();
      const unlessNamedBy = { kind: "endpoint", member: "templateId" } as const;
      for (let n = 0; n < 20; n++) {
        const needs = { kind: "template", id: `t${n}` } as const;
        const naming = record({ kind: "endpoint", id: `e${n}`, body: `{"templateId":"t${n}"}` });
        await put(store, record({ id: needs.id }));
        const adds = () => store.apply([{ step: "put", record: naming, needs }], START);
        const goes = () => store.apply([{ step: "remove", ...needs, unlessNamedBy }], START);
        const answers = await Promise.all(n % 2 === 0 ? [adds(), goes()] : [goes(), adds()]);
        const outcomes = answers.map(([{ outcome }]) => outcome).toSorted();
        expect([
          ["inUse", "written"],
          ["needMissing", "removed"],
        ]).toContainEqual(outcomes);
      }
    });

    test("4a: a refused put changes nothing and makes no change number", async () => {
      const { store } = opened();
      await put(store, record({ id: "a", name: "llm" }));
      const before = await store.changesSince(0);
      await put(store, record({ id: "b", name: "llm" }));
      await put(store, record({ id: "a", version: 7 }));
      await remove(store, "template", "no-such-record");

      expect(await store.changesSince(0)).toEqual(before);
    });

    test("4a: changes are numbered in order, and each server reads on from the last it has", async () => {
      const { store } = opened();
      for (const id of ["a", "b", "c"]) await put(store, record({ id }));
      const copy = await store.changesSince(0);
      const last = copy.at(-1)?.change ?? 0;
      expect(copy.map((change) => change.id)).toEqual(["a", "b", "c"]);
      expect(await store.changesSince(last)).toEqual([]);

      await put(store, record({ id: "b", version: 2 }));
      await remove(store, "template", "a");

      const news = await store.changesSince(last);
      expect(news).toMatchObject([{ id: "b", record: { version: 2 } }, { id: "a" }]);
      expect(news[1]?.record).toBeUndefined();
      const numbers = [...copy, ...news].map((change) => change.change);
      expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
      expect(new Set(numbers).size).toBe(numbers.length);
    });

    test("4a: the newest change removed, a server that has it still learns of the next", async () => {
      const { store } = opened();
      await put(store, record({ id: "a" }));
      const last = (await store.changesSince(0)).at(-1)?.change ?? 0;
      await remove(store, "template", "a");
      await put(store, record({ id: "a" }));

      expect(await store.changesSince(last)).toMatchObject([{ id: "a", record: { version: 1 } }]);
    });
  });
}
