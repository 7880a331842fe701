import { describe, expect, test } from "bun:test";
import { brokenPromise, type CheckedJob, checkJob } from "../../src/store/check-job.ts";

const WAITING: CheckedJob = {
  endpoint: "e",
  id: "a",
  state: "IN_QUEUE",
  position: 1,
  holder: "",
  worker: null,
  attempt: 2,
  losses: 1,
  undelivered: 1,
  proved: false,
  denials: 0,
  barred: null,
  barred_until: null,
  queued_at: 1,
  taken_at: null,
  lease_ends_at: null,
  ended_at: null,
  ttl: 1,
  expires_at: 2,
  execution_timeout: 1,
  retention: 1,
  due_at: 2,
  low_priority: false,
  bytes: 0,
  chunks: 0,
  chunk_bytes: 0,
  cursor: 0,
  receiver: null,
  webhook: null,
  tags: null,
};
const RUNNING: CheckedJob = { ...WAITING, state: "IN_PROGRESS", holder: "w", worker: "w", taken_at: 1 };
const COMPLETED: CheckedJob = { ...RUNNING, state: "COMPLETED", holder: null, ended_at: 3 };
const FAILED: CheckedJob = { ...COMPLETED, state: "FAILED" };

describe("invariant 2: a job", () => {
  test("that keeps every promise may be written", () => {
    const webhook = { receiver: "a.example:443", webhook: new Uint8Array(1) };
    for (const job of [
      WAITING,
      { ...RUNNING, progress: 0 },
      { ...COMPLETED, output: 0 },
      { ...FAILED, error: 0 },
      { ...FAILED, state: "TIMED_OUT", holder: "w", error: 0 } as const,
      { ...COMPLETED, ...webhook, chunks: 2, cursor: 2 },
    ])
      expect(brokenPromise(job)).toBeUndefined();
  });

  test.each<[string, CheckedJob]>([
    ["the holder of a waiting job, and of no other, is empty", { ...WAITING, holder: "w" }],
    ["the holder of a waiting job, and of no other, is empty", { ...COMPLETED, holder: "" }],
    ["a waiting job has no worker", { ...WAITING, worker: "w" }],
    ["a waiting job has no worker", { ...WAITING, taken_at: 1 }],
    ["a running job has a worker, which holds it", { ...RUNNING, holder: null, worker: null }],
    ["a running job has a worker, which holds it", { ...RUNNING, holder: "other" }],
    ["a running job has a worker, which holds it", { ...RUNNING, taken_at: null }],
    ["a job has ended if its state says so", { ...RUNNING, ended_at: 3 }],
    ["a job has ended if its state says so", { ...COMPLETED, ended_at: null }],
    ["only a completed job has an output", { ...FAILED, output: 0 }],
    ["only a failed job has an error", { ...COMPLETED, error: 0 }],
    ["only a running job has progress", { ...COMPLETED, progress: 0 }],
    ["there are as many attempts as came back, or more", { ...RUNNING, losses: 2 }],
    ["the cursor is within the chunks", { ...RUNNING, cursor: 1 }],
    ["the cursor is within the chunks", { ...RUNNING, cursor: -1 }],
    ["sizes are not negative", { ...RUNNING, bytes: -1 }],
    ["sizes are not negative", { ...RUNNING, chunk_bytes: -1 }],
    ["a webhook has a receiver", { ...RUNNING, receiver: "a.example:443" }],
  ])("that breaks a promise is refused: %s", (promise, job) => {
    expect(() => checkJob(job)).toThrow(`job a (${job.state}) breaks a promise: ${promise}`);
  });
});
