import { expect, test } from "bun:test";
import type { FleetReport } from "../../src/domain/fleet-report.ts";
import { health } from "../../src/engine/health.ts";
import { openPeers } from "../../src/engine/peers.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { TestEngine } from "../support/test-engine.ts";

test("health adds up the workers that all servers start", async () => {
  const t = await TestEngine.start();
  const database = newMemoryDatabase();
  const report = (throttled: number, unhealthy: number): FleetReport => ({
    state: "AT_MAXIMUM",
    reason: undefined,
    nextStartAt: undefined,
    lastExit: undefined,
    throttled,
    unhealthy,
  });
  const meets = async (server: string, throttled: number, unhealthy: number) => {
    const { shared } = await openMemoryStore({ database, sharing: { server, time: () => t.clock.now() } });
    if (shared === undefined) throw new Error("the store has no shared data");
    const words = { [t.endpoint]: { initializing: [server], report: report(throttled, unhealthy) } };
    const peers = openPeers({ shared, server, clock: t.clock, fleet: () => words, sealsBy: () => "key" });
    await peers.meet();
    return peers;
  };
  await meets("b", 2, 10);
  await meets("c", 3, 20);
  const peers = await meets("a", 0, 0);
  t.engine.fleet.reports.set(t.endpoint, report(4, 30));

  const { workers } = await health({ ...t.engine, peers }, t.endpoint);
  expect(workers).toMatchObject({ initializing: 2, throttled: 9, unhealthy: 60 });
  await t.stop();
});
