import { describe, expect, test } from "bun:test";
import { submittedAt } from "../../src/domain/job-places.ts";
import { sweepDeadlines, sweepSilentWorkers } from "../../src/engine/sweep.ts";
import { freshWorker } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

const SECOND = 1_000;

describe("design row 23: the timeline of a job", () => {
  let clock: ManualClock;
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  freshWorker((fresh) => ({ clock, server, endpoint, worker } = fresh), { isStill: true });

  const timelineOf = async (job: string) => (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json;
  const at = (ms = 0): string => new Date(clock.now() + ms).toISOString();

  /** The worker falls silent, and the server has noticed. */
  async function lose(): Promise<void> {
    await clock.standStill(60 * SECOND);
    const { engine } = server.forebay;
    await sweepDeadlines(engine, false);
    await sweepSilentWorkers(engine);
  }

  test("a waiting job shows its place, and why it waits", async () => {
    const first = await server.run(endpoint);
    const second = await server.run(endpoint, {}, { policy: { lowPriority: true, ttl: 60_000 } });
    expect(await timelineOf(first)).toEqual({
      id: first,
      status: "IN_QUEUE",
      attempt: 0,
      retries: 0,
      submittedAt: new Date(submittedAt(first)).toISOString(),
      queuedAt: at(),
      lowPriority: false,
      executionTimeout: 600_000,
      ttl: 86_400_000,
      position: 1,
      reason: { code: "NO_WORKERS", message: expect.stringMatching(/^No worker is connected\. Start one/) },
      attempts: [],
      chunks: { count: 0, bytes: 0 },
      webhooks: [],
    });
    expect(submittedAt(first)).toBe(clock.now());
    expect(await timelineOf(second)).toMatchObject({ position: 2, lowPriority: true, ttl: 60_000 });
    await worker.take();
    const { reason, position } = await timelineOf(second);
    expect([reason.code, position]).toEqual(["WORKERS_BUSY", 1]);
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused: true });
    expect((await timelineOf(second)).reason.code).toBe("PAUSED");
  });

  test("tags of a job stay as they were given, and are in no answer of the queue API", async () => {
    const tags = ["nightly", "<img src=x onerror=alert(1)>", "';--", '","', "😀"].map((tag) =>
      tag.replaceAll(" ", "/"),
    );
    const job = await server.run(endpoint, {}, { policy: { tags } });
    expect((await timelineOf(job)).tags).toEqual(tags);
    await worker.take();
    await worker.done(job, { error: "no" });
    const paths = [`status/${job}`, "requests", `stream/${job}`].map((path) => `/v2/${endpoint}/${path}`);
    for (const path of paths) expect((await server.get(path)).text).not.toContain("nightly");
    await server.post(`/v2/${endpoint}/retry/${job}`);
    expect((await timelineOf(job)).tags).toEqual(tags);
    expect((await timelineOf(await server.run(endpoint))).tags).toBeUndefined();
  });

  test("a running job shows its worker, its chunks, and its progress byte for byte", async () => {
    const job = await server.run(endpoint);
    await worker.take();
    await worker.ping([job]);
    await worker.stream(job, { output: "a" });
    const told = await worker.exchange(
      `{"alive":["${job}"],"progress":[{"id":"${job}","attempt":1,"value":{"done": 0.50}}]}`,
    );
    expect(told.status).toBe(200);
    const { text } = await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`);
    expect(text).toContain('"progress":{"done": 0.50}');
    const timeline = JSON.parse(text);
    expect(timeline).not.toHaveProperty("reason");
    expect(timeline).not.toHaveProperty("position");
    expect(timeline.chunks).toEqual({ count: 1, bytes: 14 });
    expect(timeline.attempts).toEqual([
      { attempt: 1, queuedAt: at(), startedAt: at(), workerId: worker.id, outcome: "RUNNING", chunks: 1 },
    ]);
    await worker.done(job, { output: 1 });
    expect((await timelineOf(job)).attempts).toMatchObject([{ outcome: "COMPLETED", endedAt: at() }]);
  });

  test("each attempt is shown with its end: unconfirmed, lost, failed, retried", async () => {
    const job = await server.run(endpoint);
    await worker.take();
    await lose();
    const other = await server.worker(endpoint);
    await other.take();
    await other.ping([job]);
    await lose();
    await worker.take();
    await worker.ping([job]);
    const error = `é${"x".repeat(5_000)}`;
    await worker.done(job, { error });
    expect((await timelineOf(job)).attempts[2].error).toBe(error.slice(0, 2_047));
    await server.post(`/v2/${endpoint}/retry/${job}`);
    await other.take();
    await server.post(`/v2/${endpoint}/cancel/${job}`);

    const { attempts, attempt, retries } = await timelineOf(job);
    expect([attempt, retries]).toEqual([4, 0]);
    expect(attempts).toMatchObject([
      {
        attempt: 1,
        outcome: "UNDELIVERED",
        workerId: worker.id,
        error: "no worker confirmed that it received the job",
      },
      { attempt: 2, outcome: "LOST", workerId: other.id, error: "the worker stopped answering" },
      { attempt: 3, outcome: "FAILED", workerId: worker.id, error: error.slice(0, 2_047) },
      { attempt: 4, outcome: "CANCELLED", workerId: other.id, endedAt: at() },
    ]);
    for (const one of attempts) {
      expect(Date.parse(one.queuedAt)).toBeLessThanOrEqual(Date.parse(one.startedAt));
      expect(Date.parse(one.startedAt)).toBeLessThanOrEqual(Date.parse(one.endedAt));
      expect(one).not.toHaveProperty("exit");
    }
  });

  test("design row 11: output that came with an error is only here, byte for byte", async () => {
    const job = await server.run(endpoint);
    await worker.take();
    await worker.done(job, '{"error":"no","output":{"n":1.50,"seen":[1e2]}}');
    const record = await server.get(`/v2/${endpoint}/status/${job}`);
    expect(record.json).not.toHaveProperty("output");
    const { text } = await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`);
    expect(text).toContain('"output":{"n":1.50,"seen":[1e2]}');
    await server.post(`/v2/${endpoint}/retry/${job}`);
    // As the public SDK sends each error; and what is too much is left out.
    for (const output of ["{}", JSON.stringify("x".repeat(20_000))]) {
      await worker.take();
      await worker.done(job, `{"error":"no","output":${output}}`);
      await server.post(`/v2/${endpoint}/retry/${job}`);
    }
    const { attempts } = await timelineOf(job);
    const outputs = attempts.map((one: { output?: unknown }) => one.output);
    expect(outputs).toEqual([{ n: 1.5, seen: [100] }, undefined, undefined]);
  });

  test("the last of too many losses is shown as a loss, also after a retry", async () => {
    const job = await server.run(endpoint);
    for (let n = 0; n < 3; n++) {
      const one = await server.worker(endpoint);
      await one.take();
      await one.ping([job]);
      await lose();
    }
    const lost = (await timelineOf(job)).attempts;
    expect(lost).toMatchObject([{ outcome: "LOST" }, { outcome: "LOST" }, { outcome: "LOST" }]);
    expect(lost[2].error).toMatch(/^the worker was lost 3 times/);
    await server.post(`/v2/${endpoint}/retry/${job}`);
    const { attempts, reason } = await timelineOf(job);
    expect(attempts).toEqual(lost);
    expect(reason.code).toBe("NO_WORKERS");
  });

  test("a job that its last worker may not take again yet says so", async () => {
    const job = await server.run(endpoint);
    await worker.take();
    await worker.ping([job]);
    await lose();
    await worker.ping();
    const { reason } = await timelineOf(job);
    expect(reason.code).toBe("BARRED");
    expect(reason.message).toContain(worker.id);
  });

  test("a job that does not exist, or is of another endpoint, is not found", async () => {
    const job = await server.run(endpoint);
    const other = await server.endpoint();
    for (const [of, id] of [
      [other, job],
      [endpoint, "none"],
    ]) {
      const answer = await server.get(`/v1/endpoints/${of}/jobs/${id}`);
      expect([answer.status, answer.json.code]).toEqual([404, "JOB_NOT_FOUND"]);
    }
  });
});

test("design row 23: the timeline has the webhooks of each end of the job", async () => {
  const at = await WebhookServer.start();
  try {
    await using receiver = await WebhookReceiver.start();
    const other = await at.completed(receiver.url());
    const job = await at.server.run(at.endpoint, {}, { webhook: receiver.url() });
    await at.worker.take();
    await at.worker.done(job, { error: "no" });
    await at.server.post(`/v2/${at.endpoint}/retry/${job}`);
    await at.worker.take();
    await at.worker.done(job, { output: 1 });
    const all = await at.untilListed("DELIVERED", 3);
    const { webhooks } = (await at.server.get(`/v1/endpoints/${at.endpoint}/jobs/${job}`)).json;
    expect(webhooks).toEqual(all.filter((one) => one.job !== other).toReversed());
    expect(webhooks).toMatchObject([
      { jobStatus: "FAILED" },
      { jobStatus: "COMPLETED", responseStatus: 200 },
    ]);
  } finally {
    await at.server.stop();
  }
});
