import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { runBackgroundJobs, type RunningJobs } from "../../src/background/run-background-jobs.ts";
import { TestEngine } from "../support/test-engine.ts";

const EVERY = 250;
const AWAY = "the database is away";

describe("a background job that fails", () => {
  let on: TestEngine;
  let jobs: RunningJobs;
  let runs: number;
  /** What it throws; undefined: it works. */
  let fault: Error | undefined;
  beforeEach(async () => {
    on = await TestEngine.start();
    runs = 0;
    fault = undefined;
    const job = {
      name: "test",
      every: EVERY,
      async run() {
        runs++;
        if (fault !== undefined) throw fault;
      },
    };
    jobs = runBackgroundJobs(on.engine, [job]);
  });
  afterEach(async () => {
    await jobs.stop();
    on.log.entries.length = 0;
    await on.stop();
  });

  const told = (): Record<string, unknown>[] =>
    on.log.entries.map(({ message, fields }) => ({ message, ...fields }));

  test("is tried again, with one line when it begins to fail and one when it works again", async () => {
    fault = new Error(AWAY, { cause: new Error("refused") });
    await on.clock.advance(60_000);
    expect(runs).toBe(60_000 / EVERY);
    const failed = { message: "a background job failed and will be retried", duty: "test" };
    const line = { ...failed, error: `Error: ${AWAY}`, cause: "Error: refused" };
    expect(told()).toEqual([line]);
    fault = undefined;
    await on.clock.advance(10_000);
    const works = { message: "a background job works again", duty: "test", failures: 240, failedFor: 59_750 };
    expect(told()).toEqual([line, works]);

    fault = new Error(AWAY);
    await on.clock.advance(10_000);
    expect(told()).toEqual([line, works, { ...line, cause: undefined }]);
  });

  test("logs each problem once", async () => {
    for (const wrong of [AWAY, "the disk is full", AWAY, "the disk is full"]) {
      fault = new Error(wrong);
      await on.clock.advance(1_000);
    }
    expect(told().map(({ error }) => error)).toEqual([`Error: ${AWAY}`, "Error: the disk is full"]);
  });

  test("that now and then succeeds because it has nothing to do is in the same outage", async () => {
    for (let second = 0; second < 30; second++) {
      fault = second % 4 === 0 ? new Error(AWAY) : undefined;
      await on.clock.advance(1_000);
    }
    expect(told()).toHaveLength(1);
  });
});
