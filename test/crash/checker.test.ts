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

describe("the checker of crashes", () => {
  test("finds nothing wrong with what was acknowledged and is there", () => {
    expect(verdict([ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)], [runningA])).toEqual({});
  });

  test("calls an acknowledged job that is not there lost", () => {
    expect(verdict([ok(enqueueA, ACCEPTED)], [])).toEqual({ lost: ["a"] });
  });

  test("calls an acknowledged change that is not there wrong", () => {
    const { wrong } = verdict([ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)], [waitingA]);
    expect(wrong?.[0]).toStartWith("a is");
  });

  test("takes either outcome of an unknown call, and says which", () => {
    expect(verdict([unknown(enqueueA)], [waitingA])).toEqual({ recovered: ["a"] });
    expect(verdict([unknown(enqueueA)], [])).toEqual({});
    expect(verdict([ok(enqueueA, ACCEPTED), unknown(takeOne)], [runningA])).toEqual({});
    expect(verdict([ok(enqueueA, ACCEPTED), unknown(takeOne)], [waitingA])).toEqual({});
  });

  test("calls a job unexpected that nobody has sent, or that a failed call has", () => {
    const twice = { ...unknown(enqueueA, enqueueA), outcome: { kind: "fail", error: "taken" } } as const;
    expect(verdict([], [waitingA])).toEqual({ unexpected: ["a"] });
    expect(verdict([twice], [waitingA])).toEqual({ unexpected: ["a"] });
  });

  test("calls it wrong when a call fails that should not", () => {
    const failed = { ...unknown(enqueueA), outcome: { kind: "fail", error: "locked" } } as const;
    expect(verdict([failed], []).wrong).toHaveLength(1);
  });

  test("calls an attempt that was handed out twice duplicated", () => {
    const { duplicated } = verdict(
      [ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A), ok(takeOne, TAKEN_A)],
      [runningA],
    );
    expect(duplicated).toEqual(["attempt 1 of a handed out twice"]);
  });

  test("calls it wrong when a call has happened by half", () => {
    expect(verdict([unknown(enqueueA, enqueueB)], [waitingA])).toEqual({
      wrong: ["call 0 happened to a and not to b"],
      recovered: ["a"],
    });
  });

  test("calls wrong bytes, counters, attempts and times wrong", () => {
    const calls = [ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A)];
    const other = { ...runningA, body: { file: "other", size: 10 } };
    expect(verdict(calls, [other]).wrong).toHaveLength(1);
    expect(verdict(calls, [runningA], { running: 0 }).wrong).toHaveLength(1);
    expect(verdict(calls, [runningA], { completed: 1 }).wrong).toHaveLength(1);
    expect(verdict(calls, [runningA], {}, NOW + 1).wrong).toHaveLength(1);
  });

  test("allows the counters what an unknown call may have counted", () => {
    const finish = steps.finish("complete", "a", { worker: "worker" });
    const calls = [ok(enqueueA, ACCEPTED), ok(takeOne, TAKEN_A), unknown(finish)];
    const done = ended(runningA, finish, NOW);
    expect(done && verdict(calls, [done], { completed: 1 })).toEqual({});
    expect(verdict(calls, [runningA])).toEqual({});
  });
});

function ok(step: Step, answer: unknown): Call {
  return { ...unknown(step), outcome: { kind: "ok", answers: [answer] } };
}

function unknown(...of: Step[]): Call {
  return { call: 0, now: NOW, steps: of, outcome: { kind: "unknown" } };
}

/** What a new checker says of these calls and this find, without what is empty. */
function verdict(
  calls: readonly Call[],
  jobs: readonly ModelJob[],
  counts: Partial<Found["counts"]> = {},
  latestTime = NOW,
): Partial<ReturnType<ReturnType<typeof checker>["check"]>> {
  const { learn, check } = checker(NOW);
  learn(calls);
  const said = check(foundOf(jobs, counts, latestTime));
  return Object.fromEntries(Object.entries(said).filter(([, list]) => list.length > 0));
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
