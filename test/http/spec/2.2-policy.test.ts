import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

describe("spec 2.2, the policy", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  const submit = (policy: Record<string, unknown>) => at.post("run", { input: {}, policy });

  async function expectRefused(name: string, values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      const { status, json } = await submit({ [name]: value });
      expect([value, status, json.code]).toEqual([value, 400, "INVALID_FIELD"]);
      expect(json.error).toContain(`policy.${name}`);
    }
    expect((await at.get("health")).json.jobs.inQueue).toBe(0);
  }

  /** The job stays in its state until `ms` have passed, and is TIMED_OUT a second later. */
  async function expectTimeOut(job: string, state: string, ms: number, error: string): Promise<void> {
    await at.clock.standStill(ms - 1);
    await at.worker.ping([job]);
    expect(await at.status(job)).toMatchObject({ id: job, status: state });
    await at.clock.advance(SECOND);
    expect(await at.status(job)).toMatchObject({ id: job, status: "TIMED_OUT", error });
  }

  test("2.2 executionTimeout, 8 executionTimeout: 10 minutes without it, from the hand-out on", async () => {
    const job = await at.submit();
    await at.clock.advance(MINUTE);
    await at.worker.take();
    await expectTimeOut(job, "IN_PROGRESS", 10 * MINUTE, "executionTimeout exceeded");
  });

  test("2.2 executionTimeout, 8 executionTimeout: an integer above 5000, for this job alone", async () => {
    await expectRefused("executionTimeout", [5_000, 0, -1, 5_001.5, "6000", true]);
    const short = (await submit({ executionTimeout: 5_001 })).json.id;
    await at.worker.take();
    const other = await at.submit();
    await at.worker.take(1);
    await expectTimeOut(short, "IN_PROGRESS", 5_001, "executionTimeout exceeded");
    expect(await at.status(other)).toMatchObject({ status: "IN_PROGRESS" });
  });

  test("2.2 lowPriority: a boolean; such a job is handed out in its turn", async () => {
    await expectRefused("lowPriority", [1, "true", {}]);
    const jobs = [
      (await submit({ lowPriority: true })).json.id,
      (await submit({ lowPriority: false })).json.id,
      (await submit({})).json.id,
    ];
    for (const job of jobs) expect((await at.worker.take()).json.id).toBe(job);
  });

  test("2.2 ttl, 8 policy ttl: 24 hours without it, from the submission on", async () => {
    await expectTimeOut(await at.submit(), "IN_QUEUE", DAY, "ttl exceeded");
  });

  test("2.2 ttl, 8 policy ttl: an integer from 10000 to a week", async () => {
    await expectRefused("ttl", [9_999, 7 * DAY + 1, 0, -1, 10_000.5, "10000", true]);
    const shortest = (await submit({ ttl: 10_000 })).json.id;
    await expectTimeOut(shortest, "IN_QUEUE", 10_000, "ttl exceeded");
    const longest = (await submit({ ttl: 7 * DAY })).json.id;
    await expectTimeOut(longest, "IN_QUEUE", 7 * DAY, "ttl exceeded");
  });

  test("a member that is null counts as left out", async () => {
    const { json } = await submit({ ttl: null, executionTimeout: null, lowPriority: null, tags: null });
    await expectTimeOut(json.id, "IN_QUEUE", DAY, "ttl exceeded");
  });

  test("2.2 ttl: counts over queue and run", async () => {
    const job = (await submit({ ttl: 20 * SECOND })).json.id;
    await at.clock.advance(15 * SECOND);
    await at.worker.take();
    await expectTimeOut(job, "IN_PROGRESS", 5 * SECOND, "ttl exceeded");
  });

  test("2.2 unfinished, 7 fact 1: a job beyond its timeout is ended, and its worker told", async () => {
    const job = (await submit({ executionTimeout: 6_000 })).json.id;
    await at.worker.take();
    await expectTimeOut(job, "IN_PROGRESS", 6_000, "executionTimeout exceeded");
    expect((await at.worker.stops()).json).toEqual({ jobsToStop: [job] });
    await at.worker.done(job, { output: "late" });
    expect(await at.status(job)).not.toHaveProperty("output");
  });
});
