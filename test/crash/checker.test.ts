import { describe, expect, test } from "bun:test";
import type { Step } from "../../src/store/steps.ts";
import { enqueued, ended, type ModelJob, taken } from "../model/model-job.ts";
import { recordOf } from "../model/model-row.ts";
import { stepsOf } from "../model/steps.ts";
import { checker } from "./checker.ts";
import type { Call } from "./history.ts";
import type { Found } from "./inspect.ts";
import { bytesOf, digestOf } from "./named-payload.ts";

const NOW = 1_000;
const BODY = { file: "body", size: 10 };
const steps = stepsOf("e");
const enqueueA = steps.enqueue("a", 1, { body: BODY });
const enqueueB = steps.enqueue("b", 2, { body: BODY });
const takeOne = steps.take("worker");
const waitingA = enqueued(enqueueA, NOW);
const runningA = taken(waitingA, takeOne, NOW);

const ACCEPTED = { accepted: true };
const TAKEN_A = [{ id: "a", attempt: 1 }];

describe("the checker of rows", () => {
  test("finds nothing wrong with what was acknowledged and is there", () => {
    expect(wrong([ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)], [runningA])).toEqual([]);
  });

  test("finds an acknowledged job that is not there, and an acknowledged change", () => {
    expect(wrong([ok(enqueueA, ACCEPTED)], [])[0]).toStartWith("a is absent, and should be {");
    expect(wrong([ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)], [waitingA])[0]).toStartWith("a is {");
  });

  test("takes either outcome of an unknown call", () => {
    expect(wrong([unknown(enqueueA)], [waitingA])).toEqual([]);
    expect(wrong([unknown(enqueueA)], [])).toEqual([]);
    expect(wrong([ok(enqueueA, ACCEPTED), unknown(takeOne)], [runningA])).toEqual([]);
    expect(wrong([ok(enqueueA, ACCEPTED), unknown(takeOne)], [waitingA])).toEqual([]);
  });

  test("finds a job that nobody has sent, or that a failed call has", () => {
    const twice = { ...unknown(enqueueA, enqueueA), outcome: { kind: "fail", error: "taken" } } as const;
    expect(wrong([], [waitingA])[0]).toEndWith("should be absent");
    expect(wrong([twice], [waitingA])[0]).toEndWith("should be absent");
  });

  test("finds a call that fails and should not", () => {
    const failed = { ...unknown(enqueueA), outcome: { kind: "fail", error: "locked" } } as const;
    expect(wrong([failed], [])).toHaveLength(1);
  });

  test("finds a call that has happened by half", () => {
    expect(wrong([unknown(enqueueA, enqueueB)], [waitingA])).toEqual(["call 0 happened to a and not to b"]);
  });

  test("finds wrong bytes, counters and times", () => {
    const calls = [ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)];
    const other = { ...runningA, body: { file: "other", size: 10 } };
    expect(wrong(calls, [other])).toHaveLength(1);
    expect(wrong(calls, [runningA], { running: 0 })).toHaveLength(1);
    expect(wrong(calls, [runningA], { completed: 1 })).toHaveLength(1);
    expect(wrong(calls, [runningA], {}, NOW + 1)).toHaveLength(1);
  });

  test("allows the counters what an unknown call may have counted", () => {
    const finish = steps.finish("complete", "a", { worker: "worker" });
    const calls = [ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A), unknown(finish)];
    const done = ended(runningA, finish, NOW);
    expect(done && wrong(calls, [done], { completed: 1 })).toEqual([]);
    expect(wrong(calls, [runningA])).toEqual([]);
  });
});

function ok(step: Step, answer: unknown): Call {
  return { ...unknown(step), outcome: { kind: "ok", answers: [answer] } };
}

function unknown(...of: Step[]): Call {
  return { call: 0, now: NOW, steps: of, from: 1, to: 2, outcome: { kind: "unknown" } };
}

/** What a new checker says of these calls and this find. */
function wrong(
  calls: readonly Call[],
  jobs: readonly ModelJob[],
  counts: Partial<Found["counts"]> = {},
  latestTime = NOW,
): string[] {
  const { learn, check } = checker(NOW);
  learn(calls);
  return check(foundOf(jobs, counts, latestTime));
}

function foundOf(jobs: readonly ModelJob[], counts: Partial<Found["counts"]>, latestTime: number): Found {
  const digest = digestOf(bytesOf(BODY));
  return {
    jobs: new Map(
      jobs.map((job) => [
        job.id,
        { record: recordOf(job), output: undefined, error: undefined, progress: undefined, chunks: [] },
      ]),
    ),
    submissions: new Map(
      jobs.map((job) => [
        job.id,
        { body: job.body === BODY ? digest : `${BODY.size}:other`, secret: undefined },
      ]),
    ),
    counts: {
      queued: jobs.filter((job) => job.state === "IN_QUEUE").length,
      queuedLowPriority: 0,
      queuedBytes: jobs.filter((job) => job.state === "IN_QUEUE").length * BODY.size,
      running: jobs.filter((job) => job.state === "IN_PROGRESS").length,
      completed: 0,
      failed: 0,
      retried: 0,
      ignored: 0,
      ...counts,
    },
    latestTime,
    faults: [],
  };
}
