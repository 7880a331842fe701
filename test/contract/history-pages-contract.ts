import { describe, expect, test } from "bun:test";
import type { HistoryFilter, HistoryPlace } from "../../src/domain/history.ts";
import type { Enqueue } from "../../src/store/enqueue-step.ts";
import type { Finish } from "../../src/store/steps.ts";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { bytes } from "../model/bytes.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** How the records of finished jobs are found. */
export function historyPagesContract(open: OpenStore): void {
  describe("history: pages", () => {
    const store = sharedStore(open);

    test("the newest end comes first, over several endpoints; equal ends by id", async () => {
      const queues = [await queueOn(store()), await queueOn(store())] as const;
      for (const [id, queue, at] of [
        ["a", 0, 5],
        ["b", 1, 7],
        ["c", 1, 5],
        ["d", 0, 6],
      ] as const) {
        await past(queues[queue], { id, at });
      }
      expect(await ids(queues)).toEqual(["b", "d", "c", "a"]);
      expect(await ids(queues.slice(1))).toEqual(["b", "c"]);
      expect(await ids([])).toEqual([]);
    });

    test.each([
      [1, 100],
      [3, 100],
      [2, 2],
      [2, 5],
      [7, 7],
    ])("page follows page, with %d and %d looked at", async (limit, looked) => {
      const queues = [await queueOn(store()), await queueOn(store()), await queueOn(store())];
      const expected = [];
      for (let index = 0; index < 13; index++) {
        const queue = queues[index % 3 === 0 ? 0 : index % 2];
        if (queue !== undefined) await past(queue, { id: `j${index + 10}`, at: Math.floor(index / 2) });
        expected.unshift(`j${index + 10}`);
      }
      const pages = await allPages(queues, {}, limit, looked);
      expect(pages.flat()).toEqual(expected);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
    });

    test("no more are looked at than asked for: a page can be empty, the next one continues", async () => {
      const queue = await queueOn(store());
      for (let index = 0; index < 8; index++) {
        await past(queue, { id: `j${index}`, at: index, worker: index === 1 ? "rare" : "often" });
      }
      expect(await allPages([queue], { worker: "rare" }, 2, 3)).toEqual([[], [], ["j1"]]);
      expect(await allPages([queue], { worker: "rare" }, 2, 100)).toEqual([["j1"]]);
    });

    test("a large page looks at no more than asked for, and is short", async () => {
      const queues = [await queueOn(store()), await queueOn(store())] as const;
      for (let index = 0; index < 8; index++) {
        await past(queues[index % 2 === 0 ? 0 : 1], { id: `j${index}`, at: index });
      }
      const looked = 2;
      const pages = await allPages(queues, {}, 1_000, looked);
      expect(pages.flat()).toEqual(["j7", "j6", "j5", "j4", "j3", "j2", "j1", "j0"]);
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(looked * queues.length);
    });

    test("those that did not complete are found without a look at the others", async () => {
      const queue = await queueOn(store());
      for (let index = 0; index < 9; index++) {
        await past(queue, { id: `j${index}`, at: index, ...(index % 4 === 0 ? { error: "no" } : {}) });
      }
      expect(await allPages([queue], { states: ["FAILED"] }, 3, 3)).toEqual([["j8", "j4", "j0"], []]);
      expect(await allPages([queue], { states: ["FAILED", "COMPLETED"] }, 9, 9)).toHaveLength(2);
    });

    test("filters: each of them, and all together", async () => {
      const queue = await queueOn(store());
      const policy = { ...DEFAULT_POLICY, tags: ["red", '50%_"'] };
      await past(queue, { id: "aa-1", at: 1, worker: "w1_2", error: 'CUDA out of MEMORY 100%\n"x"', policy });
      await past(queue, { id: "sync-aa-2", at: 2, worker: "w2_12", took: 50 });
      await past(queue, { id: "ab-3", at: 3, worker: "shared-w1_2", error: "another É" });
      await past(queue, { id: "ab-4", at: 4, worker: "w1_2", error: "100x", took: 51 });
      const cases: [Omit<HistoryFilter, "endpoints">, string[]][] = [
        [{}, ["ab-4", "ab-3", "sync-aa-2", "aa-1"]],
        [{ states: [] }, []],
        [{ states: ["COMPLETED"] }, ["sync-aa-2"]],
        [{ states: ["FAILED", "TIMED_OUT"] }, ["ab-4", "ab-3", "aa-1"]],
        [{ from: START + 2, to: START + 4 }, ["ab-3", "sync-aa-2"]],
        [{ worker: "w1_2" }, ["ab-4", "aa-1"]],
        [{ version: 2 }, ["ab-4", "aa-1"]],
        [{ version: 12 }, ["sync-aa-2"]],
        [{ error: "out of memory" }, ["aa-1"]],
        [{ error: '00%\n"X' }, ["aa-1"]],
        [{ error: "É" }, ["ab-3"]],
        [{ error: "%" }, ["aa-1"]],
        [{ idPrefix: "aa" }, ["sync-aa-2", "aa-1"]],
        [{ idPrefix: "sync-a" }, ["sync-aa-2"]],
        [{ idPrefix: "a_" }, []],
        [{ tag: "red" }, ["aa-1"]],
        [{ tag: '50%_"' }, ["aa-1"]],
        [{ tag: "re" }, []],
        [{ minMs: 51 }, ["ab-4"]],
        [{ minMs: 50 }, ["ab-4", "sync-aa-2"]],
        [{ minMs: 0, version: 2, states: ["FAILED"], error: "cuda", tag: "red", idPrefix: "a" }, ["aa-1"]],
        [{ error: "cuda", tag: "blue" }, []],
      ];
      const found = await Promise.all(cases.map(([filter]) => ids([queue], filter)));
      expect(found).toEqual(cases.map(([, expected]) => expected));
    });
  });
}

interface PastJob {
  readonly id: string;
  /** When it ends, ms after START. */
  readonly at: number;
  readonly worker?: string;
  /** If it fails. */
  readonly error?: string;
  /** How long it runs, ms. */
  readonly took?: number;
  readonly policy?: Enqueue["policy"];
}

/** A finished job with its record. */
async function past(queue: Queue, { id, at, worker = "w", error, took = 0, policy }: PastJob): Promise<void> {
  const { steps, endpoint } = queue;
  const end: Partial<Finish> = error === undefined ? {} : { error: bytes(JSON.stringify(error)) };
  await queue.send(steps.enqueue(id, at, policy && { policy }), START + at - took);
  await queue.send(steps.take(worker), START + at - took);
  await queue.send(steps.finish(error === undefined ? "complete" : "fail", id, end), START + at);
  await queue.send({ step: "recordEnded", jobs: [{ endpoint, id }], inputs: { all: [], none: [] } });
}

async function ids(
  queues: readonly Queue[],
  filter: Omit<HistoryFilter, "endpoints"> = {},
): Promise<string[]> {
  const pages = await allPages(queues, filter, 100, 1_000);
  expect(pages).toHaveLength(1);
  return pages.flat();
}

async function allPages(
  queues: readonly Queue[],
  filter: Omit<HistoryFilter, "endpoints">,
  limit: number,
  looked: number,
): Promise<string[][]> {
  const endpoints = queues.map(({ endpoint }) => endpoint);
  const [store] = queues.map((queue) => queue.store);
  const pages: string[][] = [];
  let before: HistoryPlace | undefined;
  do {
    const page = await store?.history({ endpoints, ...filter }, before, limit, looked);
    pages.push((page?.records ?? []).map(({ id }) => id));
    before = page?.next;
  } while (before !== undefined);
  return pages;
}
