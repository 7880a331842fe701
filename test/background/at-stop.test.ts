import { describe, expect, spyOn, test } from "bun:test";
import { loadConfig } from "../../src/config/config.ts";
import { ForebayError } from "../../src/domain/errors.ts";
import { runBackgroundJobs } from "../../src/background/run-background-jobs.ts";
import { purge } from "../../src/engine/purge.ts";
import { forgetStatistics } from "../../src/engine/statistics/statistics.ts";
import { stopEngine } from "../../src/engine/create-engine.ts";
import { forgetDeliveries, forgetExpired } from "../../src/engine/sweep.ts";
import { startForebay } from "../../src/main.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { TestEngine } from "../support/test-engine.ts";

describe("what a server still does while it stops", () => {
  const config = loadConfig({ port: "0", data: ":memory:", demo: "false" }, {});

  /** What the log tells of a stop during which the store throws this. */
  async function stopWith(thrown: Error): Promise<{ what: unknown; error: unknown }[]> {
    const log = new MemoryLog();
    const forebay = await startForebay(config, log);
    using _ = spyOn(forebay.engine.store, "apply").mockRejectedValue(thrown);
    await forebay.stop();
    return log.errors
      .filter(({ message }) => message === "the server could not stop in order")
      .map(({ fields }) => ({ what: fields?.["what"], error: fields?.["error"] }));
  }

  test("is left to the next start if the store refuses it, without an error in the log", async () => {
    for (const code of ["STORAGE_FULL", "STORAGE_UNAVAILABLE"] as const) {
      expect(await stopWith(new ForebayError(code, "It is so."))).toEqual([]);
    }
  });

  test("is logged with any other fault, and the server stops anyway", async () => {
    const told = await stopWith(new TypeError("a fault of ours"));
    expect(told).toContainEqual({ what: "webhooks", error: "TypeError: a fault of ours" });
  });

  test("ends in time even if a background job does not, which then logs nothing", async () => {
    const on = await TestEngine.start();
    const { promise: late, reject } = Promise.withResolvers<void>();
    const jobs = runBackgroundJobs(on.engine, [{ name: "endless", every: 1, run: () => late }]);
    await on.clock.advance(2);
    const stopped = jobs.stop();
    await on.clock.advance(1_000);
    await stopped;
    expect(on.log.entries.map(({ fields }) => fields?.["what"])).toEqual(["background jobs"]);
    reject(new Error("the database is closed"));
    await new Promise(setImmediate);
    expect(on.log.entries).toHaveLength(1);
    await on.stop();
  });
});

describe("a loop over many rows", () => {
  /** The verbs with one slice to do after the other, and how many slices a test gives them. */
  const LOOPS = { forgetExpired, forgetDeliveries, forgetStatistics };
  for (const [name, loop] of Object.entries(LOOPS)) {
    test(`${name} ends with its slice when the server stops`, async () => {
      const on = await TestEngine.start();
      let slices = 0;
      using _ = spyOn(on.engine.store, "apply").mockImplementation((async ([step]: [{ limit: number }]) => {
        if (++slices === 3) stopEngine(on.engine);
        return [{ count: step.limit, hasMore: true }];
      }) as never);
      const ended = loop(on.engine);
      for (let pause = 0; pause < 5; pause++) await on.clock.advance(20);
      await ended;
      expect(slices).toBe(3);
      _[Symbol.dispose]();
      await on.stop();
    });
  }

  test("a purge says how much it has done when the server stops", async () => {
    const on = await TestEngine.start();
    await Promise.all(Array.from({ length: 1_001 }, () => on.submit()));
    stopEngine(on.engine);
    await expect(purge(on.engine, on.endpoint)).rejects.toMatchObject({
      code: "SHUTTING_DOWN",
      message: expect.stringContaining("It removed 1000 jobs"),
    });
    expect(await on.engine.store.counts(on.endpoint)).toMatchObject({ queued: 1 });
    await on.stop();
  });
});
