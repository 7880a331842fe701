import { describe, expect, test } from "bun:test";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn } from "./queue.ts";

/** The list of what waits and what runs. */
export function unfinishedContract(open: OpenStore): void {
  describe("unfinished", () => {
    const store = sharedStore(open);

    test("waiting and running jobs, the highest position first, whoever holds them", async () => {
      const queue = await queueOf("a", "b", "c", "d");
      await queue.send(queue.steps.take("first"));
      await queue.send(queue.steps.take("another"));

      const jobs = await queue.store.unfinished(queue.endpoint, undefined, 100, 100);
      expect(jobs.map(({ id, state, worker }) => [id, state, worker])).toEqual([
        ["d", "IN_QUEUE", undefined],
        ["c", "IN_QUEUE", undefined],
        ["b", "IN_PROGRESS", "another"],
        ["a", "IN_PROGRESS", "first"],
      ]);
    });

    test("only those in a state, where one is named", async () => {
      const queue = await queueOf("a", "b", "c");
      await queue.send(queue.steps.take("worker"));

      expect(await ids(queue, "IN_QUEUE")).toEqual(["c", "b"]);
      expect(await ids(queue, "IN_PROGRESS")).toEqual(["a"]);
    });

    test("no more than asked for, and only below the position", async () => {
      const queue = await queueOf("a", "b", "c", "d", "e");
      await queue.send(queue.steps.take("worker", { count: 2 }));

      expect(await ids(queue, undefined, 5, 3)).toEqual(["d", "c", "b"]);
      expect(await ids(queue, undefined, 3, 3)).toEqual(["b", "a"]);
      expect(await ids(queue, undefined, 1, 3)).toEqual([]);
    });

    test("no job that has ended, also while its worker still runs it", async () => {
      const queue = await queueOf("a", "b", "c");
      await queue.send(queue.steps.take("worker", { count: 2 }));
      await queue.send(queue.steps.finish("complete", "a"));
      await queue.send(queue.steps.cancel("b"));

      expect(await queue.store.stopping(queue.endpoint, "worker")).toEqual(["b"]);
      expect(await ids(queue)).toEqual(["c"]);
    });

    test("T1: a list keeps to its endpoint", async () => {
      const mine = await queueOf("a");
      await queueOf("b");

      expect(await ids(mine)).toEqual(["a"]);
    });

    /** An endpoint with these jobs at the positions 1, 2 and so on. */
    async function queueOf(...names: string[]): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(names.map((id, index) => queue.steps.enqueue(id, index + 1)));
      return queue;
    }
  });
}

async function ids(
  queue: Queue,
  state?: "IN_QUEUE" | "IN_PROGRESS",
  before = 100,
  limit = 100,
): Promise<string[]> {
  const jobs = await queue.store.unfinished(queue.endpoint, state, before, limit);
  return jobs.map((job) => job.id);
}
