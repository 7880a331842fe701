import { describe, expect, test } from "bun:test";
import { KEPT_ATTEMPTS, OVERTAKEN } from "../../src/domain/attempt.ts";
import { forget } from "../model/forget.ts";
import { OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const JOB = "job";

/** What is kept of attempts for the timeline of a job; the model holds each sequence of steps against it. */
export function attemptsContract(open: OpenStore): void {
  describe("attempts", () => {
    const store = sharedStore(open);
    const attemptsOf = async ({ endpoint }: Queue) => (await store().timeline(endpoint, JOB, 10))?.attempts;

    test("design row 23: of an attempt that ends as its job does nothing is kept", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.sendAll([steps.enqueue(JOB, 1), steps.take(OWNER), steps.finish("complete", JOB)]);
      expect(await attemptsOf(queue)).toEqual([]);
    });

    test("design row 23: one that comes back is kept with its times, worker, place and end", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const end = { outcome: "LOST", error: "the worker ended", exit: "exit code 137" } as const;
      await queue.send(steps.enqueue(JOB, 7));
      await queue.send(steps.take(OWNER), START + 5);
      await queue.send(steps.noteColdStart(JOB, 1, START + 1), START + 6);
      await queue.send(steps.append(JOB, OWNER, [new Uint8Array([0x31])]), START + 7);
      await queue.send(steps.giveBack(JOB, 1, { end }), START + 9);
      const times = { queuedAt: START, startedAt: START + 5, endedAt: START + 9 };
      expect(await attemptsOf(queue)).toEqual([
        {
          attempt: 1,
          ended: { ...times, ...end, worker: OWNER, position: 7, chunks: 1 },
          coldStart: { wantedAt: START + 1, bootMs: 20 },
          output: undefined,
        },
      ]);
    });

    test("design row 23: a retry keeps the last attempt, with the error that was of this one", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const retry = (position: number, attempt: number) =>
        steps.retry(JOB, position, 0, undefined, { attempt, text: `error of ${attempt}` });
      await queue.sendAll([steps.enqueue(JOB, 1), steps.take(OWNER), steps.finish("fail", JOB)]);
      await queue.send(retry(2, 1));
      await queue.sendAll([steps.take(OWNER), steps.finish("timeOut", JOB)]);
      await queue.send(retry(3, 1));
      const kept = (await attemptsOf(queue))?.map(({ ended }) => [ended?.outcome, ended?.error]);
      expect(kept).toEqual([
        ["FAILED", "error of 1"],
        ["TIMED_OUT", undefined],
      ]);
    });

    test("decision 0033: a late result keeps the attempt that ran by then, as cancelled", async () => {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      const late = { worker: OTHER, attempt: undefined, mayBeLate: true };
      await queue.send(queue.steps.finish("complete", JOB, late), START + 9);
      const times = { queuedAt: START, startedAt: START, endedAt: START + 9 };
      expect(await attemptsOf(queue)).toMatchObject([
        { attempt: 1, ended: { ...times, outcome: "COMPLETED", worker: OTHER } },
        { attempt: 2, ended: { ...times, outcome: "CANCELLED", worker: OWNER, error: OVERTAKEN } },
      ]);
    });

    test("design row 11: what came beside an error is kept with its attempt, over a retry too", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const beside = '{"seen":1.50}';
      await queue.sendAll([steps.enqueue(JOB, 1), steps.take(OWNER), steps.finish("fail", JOB, { beside })]);
      expect((await attemptsOf(queue))?.[0]).toMatchObject({ attempt: 1, ended: undefined, output: beside });
      await queue.send(steps.retry(JOB, 2));
      expect((await attemptsOf(queue))?.[0]).toMatchObject({ ended: { outcome: "FAILED" }, output: beside });
    });

    test("design row 23: a job that was not handed out since then has no attempt to keep", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.sendAll([steps.enqueue(JOB, 1), steps.finish("timeOut", JOB), steps.retry(JOB, 2)]);
      expect(await attemptsOf(queue)).toEqual([]);
    });

    test("design row 23: how a worker started is refused for an attempt that is not there", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      expect(await queue.send(steps.noteColdStart(JOB, 1, START))).toEqual({ accepted: false });
      await queue.send(steps.enqueue(JOB, 1));
      expect(await queue.send(steps.noteColdStart(JOB, 1, START))).toEqual({ accepted: false });
    });

    test("design row 23: of many the newest are kept", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.send(steps.enqueue(JOB, 1));
      const last = KEPT_ATTEMPTS + 3;
      for (let attempt = 1; attempt <= last; attempt++) {
        await queue.sendAll([steps.take(OWNER), steps.giveBack(JOB, attempt)]);
      }
      const numbers = (await attemptsOf(queue))?.map(({ attempt }) => attempt);
      expect(numbers).toEqual(Array.from({ length: KEPT_ATTEMPTS }, (_, index) => index + 4));
    });

    test.each(["purge", "forget"] as const)("P9: with %s they go with their job", async (way) => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.sendAll(stepsInto(way === "purge" ? "IN_QUEUE" : "FAILED", steps, JOB));
      expect(await attemptsOf(queue)).not.toEqual([]);
      if (way === "purge") await queue.send(steps.purge());
      else await queue.send(forget(), START * 2);
      expect(await attemptsOf(queue)).toBeUndefined();
      // A job of the same id begins anew.
      await queue.send(steps.enqueue(JOB, 1));
      expect(await attemptsOf(queue)).toEqual([]);
    });
  });
}
