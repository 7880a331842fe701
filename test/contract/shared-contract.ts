import { describe, expect, test } from "bun:test";
import type { SeenCall } from "../../src/store/steps.ts";
import type { SharedData } from "../../src/store/store.ts";
import { OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn } from "./queue.ts";

const KEY = ["endpoint", "cancel"] as const;

/** What servers on the same data tell each other; a store for one server alone has none of it. */
export function sharedContract(open: OpenStore, whyNot: string | undefined): void {
  describe("shared data", () => {
    const opened = freshStore(open);

    if (whyNot !== undefined) {
      test(`4a: it shares nothing, and no request asks it for a limit: ${whyNot}`, () => {
        expect(opened().store.shared).toBeUndefined();
      });
      return;
    }

    test("4a: a hold belongs to one server until its time is over, or the server gives it up", async () => {
      expect(await shared().hold("leader", "a", 100, 200)).toBe(true);
      expect(await shared().hold("leader", "b", 199, 300)).toBe(false);
      expect(await shared().hold("leader", "a", 150, 250)).toBe(true);
      expect(await shared().hold("leader", "b", 249, 300)).toBe(false);
      expect(await shared().hold("leader", "b", 250, 300)).toBe(true);
      expect(await shared().hold("another name", "a", 250, 300)).toBe(true);
    });

    test("4a: the last announcement of each server is kept until it is deleted", async () => {
      await shared().announce("a", "first", 100);
      await shared().announce("b", "of b", 150);
      await shared().announce("a", "second", 200);
      const announced = async () =>
        (await shared().announcements()).toSorted((x, y) => (x.server < y.server ? -1 : 1));
      const ofB = { server: "b", word: "of b", until: 150 };
      expect(await announced()).toEqual([{ server: "a", word: "second", until: 200 }, ofB]);

      await shared().forgetServer("a", 200);
      await shared().forgetServer("b", 150);
      expect(await announced()).toHaveLength(2);
      await shared().forgetServer("a", 201);
      expect(await announced()).toEqual([ofB]);
    });

    test("4a: shareLimits: of two changes to the same counts one is refused", async () => {
      expect(await shared().rate(...KEY)).toBeUndefined();
      const rate = (version: number, body: string) => ({ version, body, until: 100 });
      expect(await shared().putRate(...KEY, rate(2, "too early"))).toBe(false);
      const first = await Promise.all(["a", "b", "c"].map((body) => shared().putRate(...KEY, rate(1, body))));
      expect(first.filter(Boolean)).toHaveLength(1);
      const second = await Promise.all(["d", "e"].map((body) => shared().putRate(...KEY, rate(2, body))));
      expect(second.filter(Boolean)).toHaveLength(1);
      expect(await shared().rate(...KEY)).toEqual(rate(2, second[0] ? "d" : "e"));
      expect(await shared().rate("endpoint", "run")).toBeUndefined();
      expect(await shared().rate("other", "cancel")).toBeUndefined();
    });

    test("4a: counts are forgotten once they are worth nothing", async () => {
      await shared().putRate(...KEY, { version: 1, body: "body", until: 100 });
      await shared().forgetRates(100);
      expect(await shared().rate(...KEY)).toBeDefined();
      await shared().forgetRates(101);
      expect(await shared().rate(...KEY)).toBeUndefined();
    });

    test("P8: one read finds which of many workers have a job to stop", async () => {
      const { store } = opened();
      const [queue, other] = [await queueOn(store), await queueOn(store)];
      await queue.sendAll(stepsInto("CANCELLED", queue.steps, "cancelled"));
      await other.sendAll(stepsInto("IN_PROGRESS", other.steps, "running"));
      const name = (worker: string, { endpoint } = queue) => ({ endpoint, worker });
      const all = [name(OWNER), name(OTHER), name(OWNER, other), name("unknown")];

      expect(await shared().stopping(all)).toEqual([{ ...name(OWNER), id: "cancelled" }]);
      expect(await shared().stopping(all.slice(1))).toEqual([]);
      expect(await shared().stopping([])).toEqual([]);
    });

    test("who has hung up, and made no call but pings since", async () => {
      const { store } = opened();
      const { endpoint } = await queueOn(store);
      const bare = {
        step: "seen",
        endpoint,
        pings: true,
        shown: { kind: "nothing" },
        deniableBefore: 0,
      } as const;
      const seen = (worker: string, call: SeenCall, now: number) =>
        store.apply([{ ...bare, worker, call }], now);
      for (const worker of ["dead", "pings", "lives"]) await seen(worker, "hangUp", 100);
      await seen("pings", "ping", 200);
      await seen("lives", "call", 200);
      await seen("calls", "call", 200);
      const found = (await shared().hangUps()).filter((one) => one.endpoint === endpoint);
      expect(found.toSorted((x, y) => (x.worker < y.worker ? -1 : 1))).toEqual([
        { endpoint, worker: "dead", at: 100 },
        { endpoint, worker: "pings", at: 100 },
      ]);
    });

    function shared(): SharedData {
      const { shared } = opened().store;
      if (shared === undefined) throw new Error("this store shares nothing");
      return shared;
    }
  });
}
