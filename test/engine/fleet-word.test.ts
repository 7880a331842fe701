import { expect, test } from "bun:test";
import type { FleetReport } from "../../src/domain/fleet-report.ts";
import { fleetWords } from "../../src/engine/fleet-word.ts";
import { TestEngine } from "../support/test-engine.ts";

const REPORT: FleetReport = {
  state: "RUNNING",
  reason: undefined,
  nextStartAt: undefined,
  lastExit: undefined,
  throttled: 0,
  unhealthy: 0,
};

test("a server broadcasts which endpoints it starts workers for, in a short message", async () => {
  const t = await TestEngine.start();
  const { reports, coldStarts, managed, draining, toReplace } = t.engine.fleet;
  const lines = ["1", "2", "3", "x".repeat(300)];
  const lastExit = { worker: "w", how: "exit code 1", at: 5, lastLines: lines };
  reports.set("idle", { ...REPORT, state: "IDLE" });
  reports.set("measured", { ...REPORT, state: "IDLE" });
  coldStarts.set("measured", 70);
  reports.set("failed", { ...REPORT, state: "IDLE", lastExit });
  reports.set("runs", REPORT);
  const since = { orderedAt: 0, runsSince: 0, lastJobAt: 0 };
  const start = (id: string, endpoint: string, hasCalled: boolean) =>
    managed.set(id, { endpoint, ...since, hasCalled });
  start("new", "runs", false);
  start("newer", "runs", false);
  start("old", "runs", true);
  start("ending", "runs", true);
  start("replaced", "unreported", true);
  start("both", "unreported", false);
  draining.add("ending").add("both");
  toReplace.add("replaced");

  expect(fleetWords(t.engine.fleet)).toEqual({
    measured: { initializing: [], report: { ...REPORT, state: "IDLE" }, coldStart: 70 },
    failed: {
      initializing: [],
      report: { ...REPORT, state: "IDLE", lastExit: { ...lastExit, lastLines: ["2", "3", "x".repeat(200)] } },
      coldStart: undefined,
    },
    runs: { initializing: ["new", "newer"], draining: ["ending"], report: REPORT, coldStart: undefined },
    unreported: { initializing: ["both"], draining: ["replaced", "both"] },
  });
  await t.stop();
});
