import { describe, expect, test } from "bun:test";
import { deliveryFloor, deliveryId } from "../../src/domain/delivery.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";
import { claim, endWithWebhook, record } from "./webhook-steps.ts";

/** Deliveries as they are listed, asked for once more, and forgotten. */
export function deliveryListContract(open: OpenStore): void {
  describe("the list of deliveries", () => {
    const opened = freshStore(open);
    const theStore = () => opened().store;

    test("by hand an ended delivery begins anew, a waiting one is due now, a claimed one stays", async () => {
      const queue = await queueOn(theStore());
      for (const job of ["done", "waiting", "claimed"]) await endWithWebhook(queue, job);
      const claimed = await claim(theStore());
      const of = (job: string) => {
        const found = claimed.find((delivery) => delivery.job === job);
        if (found === undefined) throw new Error(`${job} is not claimed`);
        return found;
      };
      await record(theStore(), { ...of("done"), state: "DELIVERED", attempts: 1 });
      await record(theStore(), { ...of("waiting"), state: "PENDING", dueAt: START + 1e6, attempts: 1 });

      const ids = claimed.map(({ id }) => id);
      const { endpoint } = queue;
      const answer = await queue.send({ step: "redeliver", endpoint, ids: [...ids, "none"] }, START + 5);
      expect(answer).toEqual({ count: 2 });
      const again = await claim(theStore(), {}, START + 5);
      expect(again.toSorted((a, b) => (a.job < b.job ? -1 : 1))).toMatchObject([
        { job: "done", started: 1, attempts: 0, record: { id: "done" } },
        { job: "waiting", started: 2, attempts: 1 },
      ]);
    });

    test("T1: a redelivery keeps to its endpoint, and so do the reads", async () => {
      const [mine, theirs] = [await queueOn(theStore()), await queueOn(theStore())];
      await endWithWebhook(theirs, "a");
      const id = deliveryId(START, 1, "a");

      const answer = await mine.send({ step: "redeliver", endpoint: mine.endpoint, ids: [id] });
      expect(answer).toEqual({ count: 0 });
      expect(await theStore().delivery(mine.endpoint, id)).toBeUndefined();
      expect(await theStore().deliveries(mine.endpoint, undefined, undefined, 9, 9)).toEqual({
        deliveries: [],
        next: undefined,
      });
    });

    test("deliveries are read page by page, the newest first, and by state", async () => {
      const queue = await queueOn(theStore());
      for (let n = 0; n < 5; n++) await endWithWebhook(queue, `job-${n}`, "a.example:80", START + n);
      const [oldest] = await claim(theStore(), { limit: 1 }, START + 9);
      if (oldest === undefined) throw new Error("there is no delivery");
      await record(theStore(), { ...oldest, state: "DELIVERED", dueAt: START + 1e9 });
      const read = (state: "DELIVERED" | undefined, before?: string, looked = 100) =>
        theStore().deliveries(queue.endpoint, state, before, 2, looked);
      const jobs = ({ deliveries }: Awaited<ReturnType<typeof read>>) => deliveries.map(({ job }) => job);

      const first = await read(undefined);
      const second = await read(undefined, first.next);
      const third = await read(undefined, second.next);
      expect([jobs(first), jobs(second), jobs(third)]).toEqual([
        ["job-4", "job-3"],
        ["job-2", "job-1"],
        ["job-0"],
      ]);
      expect(third.next).toBeUndefined();
      expect(jobs(await read("DELIVERED"))).toEqual(["job-0"]);
      const looked = await read("DELIVERED", undefined, 3);
      expect(jobs(looked)).toEqual([]);
      expect(jobs(await read("DELIVERED", looked.next))).toEqual(["job-0"]);
      expect(jobs(await read(undefined, deliveryFloor(START + 2)))).toEqual(["job-1", "job-0"]);
    });

    test("deliveries that have ended go when their time is over, those that have not stay", async () => {
      const queue = await queueOn(theStore());
      for (const job of ["ended", "waiting"]) await endWithWebhook(queue, job);
      const [ended] = await claim(theStore(), { limit: 1 });
      if (ended === undefined) throw new Error("there is no delivery");
      await record(theStore(), { ...ended, state: "DELIVERED", dueAt: START + 50 });

      const step = { step: "forgetDeliveries", limit: 10 } as const;
      expect(await queue.send(step, START + 49)).toEqual({ count: 0 });
      expect(await queue.send(step, START + 50)).toEqual({ count: 1 });
      expect(await theStore().delivery(queue.endpoint, ended.id)).toBeUndefined();
      expect(await queue.send(step, START + 1e10)).toEqual({ count: 0 });
    });
  });
}
