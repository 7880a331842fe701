import { describe, expect, test } from "bun:test";
import { endOfAttempt, overdue, type ReturnReason, returned } from "../../src/domain/deadlines.ts";
import type { Job } from "../../src/domain/job.ts";
import { dueAt } from "../../src/domain/job-times.ts";

const NOW = 1_000_000;

const JOB: Job = {
  endpoint: "e",
  id: "j",
  state: "IN_PROGRESS",
  position: 1,
  attempt: 1,
  losses: 0,
  undelivered: 0,
  worker: "w",
  proved: true,
  isSilent: false,
  denials: 0,
  queuedAt: NOW - 500,
  takenAt: NOW - 100,
  endedAt: undefined,
  expiresAt: NOW + 1_000,
  executionTimeout: 500,
  retention: 60_000,
  dueAt: NOW,
  tags: null,
};

describe("a job is due at the earliest of its deadlines", () => {
  test.each([
    [{ executionTimeout: 500, expiresAt: NOW + 1_000 }, 100, NOW + 100],
    [{ executionTimeout: 50, expiresAt: NOW + 1_000 }, 100, NOW + 50],
    [{ executionTimeout: 500, expiresAt: NOW + 10 }, 100, NOW + 10],
    [{ executionTimeout: 500, expiresAt: NOW + 1_000 }, undefined, NOW + 500],
  ])("%o, handed out with a lease of %p", (job, lease, due) => {
    expect(dueAt.taken(NOW, job, lease)).toBe(due);
  });

  test("without its lease once the worker has confirmed it", () => {
    expect(dueAt.proved(NOW, { executionTimeout: 500, expiresAt: NOW + 1_000 })).toBe(NOW + 500);
    expect(dueAt.proved(NOW, { executionTimeout: 5_000, expiresAt: NOW + 1_000 })).toBe(NOW + 1_000);
  });
});

describe("what happens to a job that is due", () => {
  test("the TTL ends in the millisecond that it names", () => {
    expect(overdue({ ...JOB, expiresAt: NOW }, NOW)).toEqual({ event: "timeOut", reason: "ttl exceeded" });
    expect(overdue({ ...JOB, expiresAt: NOW + 1 }, NOW).event).toBe("giveBack");
  });

  test("so does the execution timeout, and its reason says whether the worker sent pings", () => {
    const late = { ...JOB, takenAt: NOW - 500 };
    expect(overdue(late, NOW)).toEqual({ event: "timeOut", reason: "executionTimeout exceeded" });
    expect(overdue({ ...late, takenAt: NOW - 499 }, NOW).event).toBe("giveBack");
    expect(overdue({ ...late, isSilent: true }, NOW)).toEqual({
      event: "timeOut",
      reason:
        "executionTimeout exceeded. The worker sends no pings, because it runs without RUNPOD_POD_ID, so " +
        "the server cannot know whether it still ran the job.",
    });
  });

  test("a job that has ended is deleted", () => {
    for (const state of ["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const) {
      expect(overdue({ ...JOB, state, expiresAt: NOW - 1 }, NOW)).toEqual({ event: "forget" });
    }
  });

  test("a job that no worker confirmed goes back to the queue", () => {
    const unproved = { ...JOB, proved: false, losses: 1, undelivered: 2 };
    expect(overdue(unproved, NOW)).toEqual({ event: "giveBack", losses: 1, undelivered: 3 });
  });
});

describe("an attempt without a result", () => {
  type Row = readonly [
    ReturnReason,
    proved: "LOST" | "UNDELIVERED" | "RETURNED",
    unproved: string,
    text: string,
  ];
  const ROWS: readonly Row[] = [
    ["undelivered", "LOST", "UNDELIVERED", "no worker confirmed that it received the job"],
    ["aborted", "UNDELIVERED", "UNDELIVERED", "the worker hung up before it had received the job"],
    ["denied", "LOST", "UNDELIVERED", "the worker no longer had the job"],
    ["dropped", "LOST", "LOST", "the worker no longer had the job and sent no result"],
    ["silent", "LOST", "UNDELIVERED", "the worker stopped answering"],
    ["hungUp", "LOST", "LOST", "the worker closed its connections and made no call but pings"],
    ["hostAway", "RETURNED", "RETURNED", "the host of the worker did not answer"],
    ["died", "LOST", "LOST", "the worker ended"],
    ["withdrawn", "RETURNED", "RETURNED", "the worker was stopped"],
    ["uncarried", "RETURNED", "RETURNED", "the response with the job did not reach the worker"],
    ["unread", "RETURNED", "RETURNED", "the server could not read the stored input right now"],
  ];

  test.each(ROWS)("%s: %s after proof of receipt, %s before it", (reason, proved, unproved, text) => {
    expect(endOfAttempt({ proved: true }, reason, "exit code 1")).toEqual({
      outcome: proved,
      error: text,
      exit: "exit code 1",
    });
    const { outcome, exit } = endOfAttempt({ proved: false }, reason);
    expect({ outcome, exit }).toMatchObject({ outcome: unproved, exit: undefined });
  });

  test("the third loss ends the job, and its error names how the workers ended", () => {
    const second = { proved: true, losses: 1, undelivered: 7 };
    expect(returned(second, "silent")).toEqual({ event: "giveBack", losses: 2, undelivered: 7 });
    const third = { ...second, losses: 2 };
    expect(returned(third, "silent")).toEqual({
      event: "giveUp",
      reason: "the worker was lost 3 times, the last time because the worker stopped answering",
    });
    expect(returned(third, "died", ["exit code 1", "killed"])).toEqual({
      event: "giveUp",
      reason: "the worker was lost 3 times, the last time because the worker ended (exit code 1, killed)",
    });
  });

  test("so does the twentieth hand-out that no worker confirmed", () => {
    const job = { proved: false, losses: 2, undelivered: 18 };
    expect(returned(job, "aborted")).toEqual({ event: "giveBack", losses: 2, undelivered: 19 });
    expect(returned({ ...job, undelivered: 19 }, "aborted")).toEqual({
      event: "giveUp",
      reason: "handed out 20 times, and the worker hung up before it had received the job",
    });
  });

  test("what the server takes back counts as neither", () => {
    const job = { proved: true, losses: 2, undelivered: 19 };
    expect(returned(job, "withdrawn")).toEqual({ event: "giveBack", losses: 2, undelivered: 19 });
  });
});
