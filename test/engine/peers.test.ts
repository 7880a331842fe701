import { expect, test } from "bun:test";
import { RATE_WINDOW } from "../../src/domain/rate-limits.ts";
import { openPeers, type Peers } from "../../src/engine/peers.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { ManualClock } from "../support/manual-clock.ts";

test("a server that is alone knows it, until it has heard nothing for 2 s", async () => {
  const { clock, open } = servers();
  const a = await open("a");
  expect([a.others(), a.isReachable()]).toEqual([undefined, false]);
  await a.join();
  expect(a.others()).toBe(0);
  await clock.advance(2_000);
  expect(a.others()).toBe(0);
  await clock.advance(1);
  expect([a.others(), a.isReachable()]).toEqual([undefined, true]);
  await clock.advance(999);
  expect(a.isReachable()).toBe(true);
  await clock.advance(1);
  expect(a.isReachable()).toBe(false);
});

test("a server joins when the one that was alone shares, and both count each other after 2 s", async () => {
  const { clock, open, meetFor } = servers();
  const [a, b] = [await open("a"), await open("b")];
  await a.join();
  await meetFor(3_000, a);
  const told: string[] = [];
  a.onMore(async () => void told.push("more"));

  let hasJoined = false;
  const joining = b.join().then(() => (hasJoined = true));
  await clock.advance(500);
  expect(hasJoined).toBe(false);
  await a.meet();
  expect(told).toEqual(["more"]);
  expect(a.others()).toBe(1);
  await clock.advance(50);
  await joining;

  await meetFor(2_000, a, b);
  expect([a.others(), b.others()]).toEqual([1, undefined]);
  await meetFor(1, a, b);
  expect([a.others(), b.others()]).toEqual([1, 1]);
  expect(told).toEqual(["more"]);
});

test("a server that left is gone at once, and its requests count for as long as the window", async () => {
  const { open, meetFor } = servers();
  const [a, b] = [await open("a"), await open("b")];
  await a.join();
  const joining = b.join();
  await meetFor(3_000, a, b);
  await joining;
  expect([a.isGone("b"), a.isGone("unknown")]).toEqual([false, false]);
  expect([...a.machines().keys()]).toEqual(["b"]);
  expect([a.fleetOf("endpoint"), a.fleetOf("other")]).toEqual([[{ initializing: ["b"] }], []]);
  expect([a.sealBy("b"), a.sealBy("a")]).toEqual([true, false]);

  await b.leave();
  await a.meet();
  expect(a.isGone("b")).toBe(true);
  expect([...a.machines().keys()]).toEqual([]);
  expect(a.fleetOf("endpoint")).toEqual([]);
  expect(a.sealBy("a")).toBe(true);
  await meetFor(RATE_WINDOW - 1, a);
  expect(a.others()).toBe(1);
  await meetFor(1_000, a);
  expect(a.others()).toBe(0);
});

/** Servers on one database, with time in the hands of the test. Each tells of a worker with its own name. */
function servers() {
  const database = newMemoryDatabase();
  const clock = new ManualClock();
  const time = () => clock.now();
  return {
    clock,
    async open(server: string): Promise<Peers> {
      const { shared } = await openMemoryStore({ database, sharing: { server, time } });
      if (shared === undefined) throw new Error("the store has no shared data");
      const fleet = () => ({ endpoint: { initializing: [server] } });
      return openPeers({ shared, server, clock, fleet, sealsBy: () => server });
    },
    /** `ms` pass, and the servers meet every half second and at the end. */
    async meetFor(ms: number, ...all: readonly Peers[]): Promise<void> {
      for (let left = ms; left > 0; left -= 500) {
        await clock.advance(Math.min(left, 500));
        for (const peers of all) await peers.meet();
      }
    },
  };
}
