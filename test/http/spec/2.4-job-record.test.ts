import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JOB_STATES } from "../../../src/domain/transitions.ts";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 2.4, the job record", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  test("2.4 id: a string that names the job in every call; of runsync with sync- in front", async () => {
    const job = await at.submit();
    expect(job).toMatch(/^[0-9a-f-]{36}-u1$/);
    expect((await at.worker.take()).json.id).toBe(job);
    expect((await at.status(job)).id).toBe(job);
    const answer = at.post("runsync", { input: {} });
    const { id } = (await at.worker.take()).json;
    expect(id).toMatch(/^sync-[0-9a-f-]{36}-u1$/);
    await at.worker.done(id, { output: 1 });
    expect((await answer).json.id).toBe(id);
    expect((await at.status(id)).id).toBe(id);
  });

  test("2.4 output: as the worker sent it once the job is completed, and in no other state", async () => {
    for (const output of ['{"a": 1.0}', '[ "x" ]', "null", '"text"', "9007199254740993", '{"big":1e999}']) {
      const job = await at.submit();
      await at.worker.take();
      await at.worker.done(job, `{"output":${output}}`);
      expect((await at.get(`status/${job}`)).text).toContain(`"output":${output}`);
    }
    for (const state of JOB_STATES.filter((state) => state !== "COMPLETED")) {
      expect(await at.status(await at.jobIn(state))).not.toHaveProperty("output");
      await at.post("purge-queue");
    }
  });

  test("2.4 delayTime: milliseconds from the queueing to the hand-out, once handed out", async () => {
    const job = await at.submit();
    expect(await at.status(job)).not.toHaveProperty("delayTime");
    await at.clock.advance(1_234);
    await at.worker.take();
    await at.clock.advance(1_000);
    expect((await at.status(job)).delayTime).toBe(1_234);
    await at.worker.done(job, { output: 1 });
    expect((await at.status(job)).delayTime).toBe(1_234);
  });

  test("2.4 executionTime: milliseconds from the hand-out to the end, once ended", async () => {
    const job = await at.submit();
    await at.worker.take();
    await at.clock.advance(2_345);
    expect(await at.status(job)).not.toHaveProperty("executionTime");
    await at.worker.done(job, { output: 1 });
    await at.clock.advance(1_000);
    expect((await at.status(job)).executionTime).toBe(2_345);
  });

  test("2.4 id and status only: run, retry and cancel answer nothing else", async () => {
    const { json } = await at.post("run", { input: {} });
    expect(json).toEqual({ id: json.id, status: "IN_QUEUE" });
    expect((await at.post(`cancel/${json.id}`)).json).toEqual({ id: json.id, status: "CANCELLED" });
    const failed = await at.jobIn("FAILED");
    expect((await at.post(`retry/${failed}`)).json).toEqual({ id: failed, status: "IN_QUEUE" });
  });
});
