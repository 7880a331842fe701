import { describe, expect, test } from "bun:test";
import { emptyFigures, type Figures } from "../../src/domain/figures.ts";
import { observe } from "../../src/domain/histogram.ts";
import type { StatisticsSlot } from "../../src/domain/statistics.ts";
import type { Signal } from "../../src/store/signals.ts";
import { OWNER } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

const WIDTH = 10_000;

/**
 * What servers have counted, kept for others to read, and the fronts of queues. `whyNot` says why a store
 * cannot be opened again.
 */
export function statisticsContract(open: OpenStore, whyNot: string | undefined): void {
  describe("statistics", () => {
    const opened = freshStore(open);
    const theStore = () => opened().store;

    const add = (server: string, ...slots: StatisticsSlot[]) =>
      theStore().apply([{ step: "addStatistics", server, slots }], START);

    test("4a: a server's increments add up in one slot, and each server has slots of its own", async () => {
      const { endpoint } = await queueOn(theStore());
      const slot = (figures: Figures, at = START) => ({ endpoint, width: WIDTH, at, figures }) as const;
      const first = figuresOf({ submitted: 2, lost: 1 }, [3, 700], 4);
      expect(await add("a", slot(first), slot(figuresOf({ taken: 1 }), START + WIDTH))).toEqual([
        { count: 2 },
      ]);
      await add("a", slot(figuresOf({ submitted: 3 }, [3], 9)));
      await add("b", slot(figuresOf({ submitted: 100 })));

      const found = await theStore().statistics(endpoint, WIDTH, START);
      expect(found.map(({ at, figures }) => [at, figures.counts.submitted]).toSorted(byText)).toEqual([
        [START, 100],
        [START, 5],
        [START + WIDTH, 0],
      ]);
      const sum = found.find(({ figures }) => figures.counts.submitted === 5)?.figures;
      expect(sum).toEqual(figuresOf({ submitted: 5, lost: 1 }, [3, 3, 700], 9));
    });

    test("4a: slots of another width or endpoint, or before the time asked for, are left out", async () => {
      const [one, other] = [await queueOn(theStore()), await queueOn(theStore())];
      const figures = figuresOf({ completed: 1 });
      await add(
        "a",
        { endpoint: one.endpoint, width: WIDTH, at: START, figures },
        { endpoint: one.endpoint, width: 3_600_000, at: START, figures },
        { endpoint: other.endpoint, width: WIDTH, at: START, figures },
      );
      const told = async (endpoint: string, width: StatisticsSlot["width"]) =>
        (await theStore().statistics(endpoint, width, START)).map((slot) => slot.figures.counts.completed);
      expect(await told(one.endpoint, WIDTH)).toEqual([1]);
      expect(await told(one.endpoint, 3_600_000)).toEqual([1]);
      expect(await told(other.endpoint, WIDTH)).toEqual([1]);
      expect(await theStore().statistics(one.endpoint, WIDTH, START + 1)).toEqual([]);
    });

    test("4a: they are deleted with their endpoint, and a deleted endpoint gets none", async () => {
      const { endpoint } = await queueOn(theStore());
      const slot = { endpoint, width: WIDTH, at: START, figures: figuresOf({ failed: 1 }) } as const;
      await add("a", slot);
      await theStore().apply([{ step: "remove", kind: "endpoint", id: endpoint }], START);
      expect(await theStore().statistics(endpoint, WIDTH, 0)).toEqual([]);
      expect(await add("a", slot)).toEqual([{ count: 0 }]);
      expect(await theStore().statistics(endpoint, WIDTH, 0)).toEqual([]);
    });

    test("4a: old slots of one width are deleted, a few at a time", async () => {
      const { endpoint } = await queueOn(theStore());
      const figures = figuresOf({ failed: 1 });
      const slots = [0, 1, 2, 3].map(
        (n) => ({ endpoint, width: WIDTH, at: START + n * WIDTH, figures }) as const,
      );
      await add("a", ...slots, { endpoint, width: 3_600_000, at: START, figures });
      const forget = { step: "forgetStatistics", width: WIDTH, before: START + 3 * WIDTH, limit: 2 } as const;
      const counts: number[] = [];
      for (let n = 0; n < 3; n++) counts.push((await theStore().apply([forget], START))[0].count);

      expect(counts).toEqual([2, 1, 0]);
      expect((await theStore().statistics(endpoint, WIDTH, 0)).map(({ at }) => at)).toEqual([
        START + 3 * WIDTH,
      ]);
      expect(await theStore().statistics(endpoint, 3_600_000, 0)).toHaveLength(1);
    });

    test.skipIf(whyNot !== undefined)("4a: what was added is there after a restart", async () => {
      const { reopen } = opened();
      if (reopen === undefined) throw new Error("this store cannot be opened again, and gave no reason");
      const { endpoint } = await queueOn(theStore());
      const figures = figuresOf({ retried: 7 }, [12], 3);
      await add("a", { endpoint, width: WIDTH, at: START, figures });
      const store = await reopen();
      expect((await store.statistics(endpoint, WIDTH, 0)).map((slot) => slot.figures)).toEqual([figures]);
    });

    test("4a: the front of a queue is its oldest waiting job, as it was queued last", async () => {
      const [one, empty] = [await queueOn(theStore()), await queueOn(theStore())];
      await one.send(one.steps.enqueue("a", 1), START + 5);
      await one.send(one.steps.enqueue("b", 2), START + 6);
      const fronts = () => theStore().fronts([one.endpoint, empty.endpoint, "absent"]);
      expect([...(await fronts())]).toEqual([[one.endpoint, START + 5]]);
      await one.send(one.steps.take(OWNER), START + 7);
      expect([...(await fronts())]).toEqual([[one.endpoint, START + 6]]);
      await one.send(one.steps.giveBack("a", 1), START + 8);
      expect([...(await fronts())]).toEqual([[one.endpoint, START + 8]]);
      await one.send(one.steps.purge());
      expect([...(await fronts())]).toEqual([]);
    });

    test("4a: the counts of all endpoints are those of each", async () => {
      const [one, other] = [await queueOn(theStore()), await queueOn(theStore())];
      await one.sendAll([one.steps.enqueue("a", 1), one.steps.enqueue("b", 2), one.steps.take(OWNER)]);
      const all = await theStore().allCounts();
      expect(all.size).toBe(2);
      for (const { endpoint } of [one, other]) {
        const counts = await theStore().counts(endpoint);
        expect(counts).toBeDefined();
        expect(all.get(endpoint)).toEqual(counts);
      }
    });

    test("4a: what this store commits is notified as its own, each change once", async () => {
      const heard: (readonly [event: Signal["event"], isOwn: boolean])[] = [];
      const queue = await queueOn(theStore());
      theStore().onSignals((signals, isOwn) =>
        heard.push(...signals.map(({ event }) => [event, isOwn] as const)),
      );
      await queue.sendAll([queue.steps.enqueue("a", 1), queue.steps.take(OWNER)]);
      await queue.send(queue.steps.giveBack("a", 1, { losses: 1 }));
      expect(heard.filter(([, isOwn]) => isOwn).map(([event]) => event)).toEqual([
        "enqueue",
        "take",
        "giveBack",
      ]);
    });
  });
}

function figuresOf(
  counts: Partial<Figures["counts"]>,
  delays: readonly number[] = [],
  inQueue?: number,
): Figures {
  const figures = emptyFigures();
  Object.assign(figures.counts, counts);
  for (const ms of delays) {
    observe(figures.delay, ms);
    observe(figures.execution, ms * 2);
  }
  if (inQueue !== undefined) figures.queue = { at: START + inQueue, inQueue, inProgress: 1 };
  return figures;
}

function byText(one: readonly number[], other: readonly number[]): number {
  return one.join(" ") < other.join(" ") ? -1 : 1;
}
