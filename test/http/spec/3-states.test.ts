import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JOB_STATES } from "../../../src/domain/transitions.ts";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 3, the states of a job", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  test("2.4 status, 3 states: the six words, each told by status", async () => {
    const words = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const;
    expect([...JOB_STATES].toSorted()).toEqual([...words].toSorted());
    for (const word of words) {
      expect(await at.status(await at.jobIn(word))).toMatchObject({ status: word });
      await at.post("purge-queue");
    }
  });

  test("3 run: a job is there, IN_QUEUE, when run answers, and when runsync waits", async () => {
    const { json } = await at.post("run", { input: {} });
    expect(json).toEqual({ id: json.id, status: "IN_QUEUE" });
    expect(await at.status(json.id)).toEqual({ id: json.id, status: "IN_QUEUE" });
    const waiting = at.post("runsync?wait=1000", { input: {} });
    await at.untilQueued(2);
    await at.clock.advance(1_000);
    expect((await waiting).json).toMatchObject({ status: "IN_QUEUE" });
  });

  /** A job in the state, which has put out a chunk before, is queued anew and then completed. */
  async function expectRetried(state: "FAILED" | "TIMED_OUT"): Promise<void> {
    const members = { input: { n: 1 }, s3Config: { bucketName: "b" }, another: [1] };
    const job = await at.submit({ ...members, policy: { executionTimeout: 5_001 } });
    const first = await at.worker.take();
    await at.worker.stream(job, { output: "of the first attempt" });
    if (state === "FAILED") await at.worker.done(job, { error: "no", output: "of the first attempt" });
    else await at.clock.advance(6_000);
    expect(await at.status(job)).toMatchObject({ status: state, error: expect.any(String) });

    expect((await at.post(`retry/${job}`)).json).toEqual({ id: job, status: "IN_QUEUE" });
    expect(await at.status(job)).toEqual({ id: job, status: "IN_QUEUE" });
    const other = await at.server.worker(at.id);
    expect((await other.take()).text).toBe(first.text);
    await other.done(job, { output: "of the second" });
    expect(await at.status(job)).toMatchObject({ status: "COMPLETED", output: "of the second" });
    expect((await at.get(`stream/${job}?from=0`)).json).toEqual([]);
  }

  test("3 FAILED retry, 4.A retry: the same id and input wait again, the output is gone", () =>
    expectRetried("FAILED"));
  test("3 TIMED_OUT retry, 4.A retry: the same id and input wait again, the output is gone", () =>
    expectRetried("TIMED_OUT"));

  test("3 other moves: a worker's take, its result, its error and the timeout", async () => {
    const job = await at.submit();
    await at.worker.take();
    expect(await at.status(job)).toMatchObject({ status: "IN_PROGRESS", workerId: at.worker.id });
    await at.worker.done(job, { output: 1 });
    expect(await at.status(job)).toMatchObject({ status: "COMPLETED", output: 1 });
    const failed = await at.jobIn("FAILED");
    expect(await at.status(failed)).toMatchObject({ status: "FAILED", error: "no" });
    const late = await at.jobIn("TIMED_OUT");
    expect(await at.status(late)).toMatchObject({ status: "TIMED_OUT", error: "executionTimeout exceeded" });
  });

  test("3 rule 2: a job whose result has expired is not retried", async () => {
    for (const state of ["FAILED", "TIMED_OUT"] as const) {
      const job = await at.jobIn(state);
      await at.clock.standStill(30 * 60_000);
      await at.clock.advance(1_000);
      const { status, json } = await at.post(`retry/${job}`);
      expect([status, json.code]).toEqual([404, "JOB_NOT_FOUND"]);
    }
    expect((await at.get("health")).json.jobs).toMatchObject({ inQueue: 0, retried: 0 });
  });
});
