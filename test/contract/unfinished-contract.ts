import { describe, expect, test } from "bun:test";
import type { UnfinishedState } from "../../src/domain/transitions.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn } from "./queue.ts";

/** The list of what waits and what runs. */
export function unfinishedContract(open: OpenStore): void {
  describe("unfinished", () => {
    const store = sharedStore(open);

    test("waiting jobs, the highest position first; and running ones, whoever holds them", async () => {
      const queue = await queueOf("a", "b", "c", "d");
      await queue.send(queue.steps.take("first"));
      await queue.send(queue.steps.take("another"));

      expect(await ids(queue, "IN_QUEUE")).toEqual(["d", "c"]);
      const running = await queue.store.unfinished(queue.endpoint, "IN_PROGRESS", 100, 100);
      expect(running.map(({ id, worker }) => [id, worker])).toEqual([
        ["b", "another"],
        ["a", "first"],
      ]);
    });

    test("no more than asked for, and only below the position", async () => {
      const queue = await queueOf("a", "b", "c", "d", "e");
      await queue.send(queue.steps.take("worker", { count: 2 }));

      expect(await ids(queue, "IN_QUEUE", 5, 1)).toEqual(["d"]);
      expect(await ids(queue, "IN_QUEUE", 4, 3)).toEqual(["c"]);
      expect(await ids(queue, "IN_PROGRESS", 100, 1)).toEqual(["b"]);
      expect(await ids(queue, "IN_PROGRESS", 2, 3)).toEqual(["a"]);
      expect(await ids(queue, "IN_PROGRESS", 1, 3)).toEqual([]);
    });

    test("no job that has ended, also while its worker still runs it", async () => {
      const queue = await queueOf("a", "b", "c");
      await queue.send(queue.steps.take("worker", { count: 2 }));
      await queue.send(queue.steps.finish("complete", "a"));
      await queue.send(queue.steps.cancel("b"));

      expect(await queue.store.stopping(queue.endpoint, "worker")).toEqual(["b"]);
      expect(await ids(queue, "IN_PROGRESS")).toEqual([]);
      expect(await ids(queue, "IN_QUEUE")).toEqual(["c"]);
    });

    test("T1: a list keeps to its endpoint", async () => {
      const mine = await queueOf("a");
      await queueOf("b");

      expect(await ids(mine, "IN_QUEUE")).toEqual(["a"]);
    });

    /** An endpoint with these jobs at the positions 1, 2 and so on. */
    async function queueOf(...names: string[]): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(names.map((id, index) => queue.steps.enqueue(id, index + 1)));
      return queue;
    }
  });
}

async function ids(queue: Queue, state: UnfinishedState, before = 100, limit = 100): Promise<string[]> {
  const jobs = await queue.store.unfinished(queue.endpoint, state, before, limit);
  return jobs.map((job) => job.id);
}
