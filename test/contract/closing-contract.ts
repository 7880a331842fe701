import { describe, expect, test } from "bun:test";
import { rejection } from "../support/rejection.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn } from "./queue.ts";

export function closingContract(open: OpenStore): void {
  describe("close", () => {
    const opened = freshStore(open);

    test("a step after it is refused with SHUTTING_DOWN", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await store.close();
      for (const steps of [[], [queue.steps.enqueue("late", 1)]]) {
        await expect(store.apply(steps, 1)).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
      }
    });

    test("steps before it are stored, and steps after it are refused", async () => {
      const { store, reopen } = opened();
      const queue = await queueOn(store);
      const early = Array.from({ length: 5 }, (_, n) => queue.send(queue.steps.enqueue(`early-${n}`, n)));
      const closing = store.close();
      const late = Array.from({ length: 5 }, (_, n) =>
        rejection(queue.send(queue.steps.enqueue(`late-${n}`, 10 + n))),
      );
      expect(await Promise.all(early)).toEqual(early.map(() => ({ accepted: true })));
      for (const answer of await Promise.all(late)) expect(answer).toContain("The server is stopping");
      await closing;
      // Where the data is gone with the store, that they were answered is all that can be seen.
      const stored = await (await reopen?.())?.unfinished(queue.endpoint, "IN_QUEUE", 100, 100);
      const ids = stored?.map(({ id }) => id).toSorted();
      if (reopen !== undefined) expect(ids).toEqual(early.map((_, n) => `early-${n}`));
    });
  });
}
