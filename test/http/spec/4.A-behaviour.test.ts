import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe("spec 4.A, what the operations do", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  /** A job of runsync that has just completed, with its answer read. */
  async function completedByRunsync(query = ""): Promise<string> {
    const answer = at.post(`runsync${query}`, { input: {} });
    const { id } = (await at.worker.take()).json;
    await at.worker.done(id, { output: 1 });
    expect((await answer).json).toMatchObject({ id, status: "COMPLETED", output: 1 });
    return id;
  }

  /** The result is there until `ms` have passed, and a second later it is gone. */
  async function expectKept(job: string, ms: number): Promise<void> {
    await at.clock.standStill(ms - 1);
    expect(await at.status(job)).toMatchObject({ id: job, output: 1 });
    await at.clock.advance(SECOND);
    expect((await at.get(`status/${job}`)).json).toMatchObject({ code: "JOB_NOT_FOUND", status: 404 });
  }

  test("4.A sentence 1 minute, 8 runsync retention: a result of runsync stays for a minute", async () => {
    await expectKept(await completedByRunsync(), MINUTE);
  });

  test("4.A sentence 1 wait, 8 runsync retention: wait extends that, up to 5 minutes", async () => {
    await expectKept(await completedByRunsync("?wait=300000"), 5 * MINUTE);
    await expectKept(await completedByRunsync("?wait=90000"), 90 * SECOND);
    await expectKept(await completedByRunsync("?wait=1000"), MINUTE);
    expect((await at.post("runsync?wait=300001", { input: {} })).json.code).toBe("INVALID_QUERY");
  });

  test("4.A sentence 1 plain HTTP: wait is part of the address; in the body it means nothing", async () => {
    const answer = at.post("runsync", { input: {}, wait: 1_000 });
    const taken = await at.worker.take();
    expect(taken.json).toMatchObject({ input: {}, wait: 1_000 });
    await at.clock.advance(2 * SECOND);
    await at.worker.done(taken.json.id, { output: 1 });
    expect((await answer).json).toMatchObject({ status: "COMPLETED" });
  });

  test("4.A sentence 2, 8 run retention: a result of run stays for 30 minutes after the end", async () => {
    const job = await at.submit();
    await at.clock.standStill(40 * MINUTE);
    await at.worker.take();
    await at.worker.done(job, { output: 1 });
    await expectKept(job, 30 * MINUTE);
  });

  test("4.A sentence 3 aggregate: what was yielded can be streamed, and is the output", async () => {
    const job = await at.jobIn("IN_PROGRESS");
    await at.worker.stream(job, { output: "one" });
    expect((await at.get(`stream/${job}`)).json).toEqual([{ output: "one" }]);
    await at.worker.stream(job, { output: "two" });
    // What the public worker SDK sends at the end with return_aggregate_stream.
    await at.worker.done(job, { output: ["one", "two"] });
    const rest = await at.get(`stream/${job}`);
    expect([rest.json, rest.headers.get("x-job-status")]).toEqual([[{ output: "two" }], "COMPLETED"]);
    expect(await at.status(job)).toMatchObject({ status: "COMPLETED", output: ["one", "two"] });
  });

  test("4.A sentence 4: cancel answers at once, however long the worker takes to stop", async () => {
    const job = await at.jobIn("IN_PROGRESS");
    // Time stands still: an answer that waited for the worker would never come.
    expect((await at.post(`cancel/${job}`)).json).toEqual({ id: job, status: "CANCELLED" });
    expect(await at.status(job)).toMatchObject({ status: "CANCELLED" });
    await at.worker.done(job, { output: "late" });
    expect(await at.status(job)).toMatchObject({ status: "CANCELLED" });
  });

  test("4.A sentence 5: purge-queue clears all that waits, and leaves running jobs alone", async () => {
    const [running, failed] = [await at.jobIn("IN_PROGRESS"), await at.jobIn("FAILED")];
    const back = await at.jobIn("FAILED");
    await at.post(`retry/${back}`);
    const waiting = [back, await at.submit(), await at.submit({ policy: { lowPriority: true } })];
    expect((await at.post("purge-queue")).json).toEqual({ removed: 3, status: "completed" });
    for (const job of waiting) expect((await at.get(`status/${job}`)).status).toBe(404);
    expect(await at.status(failed)).toMatchObject({ status: "FAILED" });
    await at.worker.done(running, { output: 1 });
    expect(await at.status(running)).toMatchObject({ status: "COMPLETED", output: 1 });
    expect((await at.get("health")).json.jobs).toMatchObject({ inQueue: 0, inProgress: 0 });
  });
});
