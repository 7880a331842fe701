import { describe, expect, test } from "bun:test";
import type { Finish, Step } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn } from "./queue.ts";

const JOB = "job";
const LATE = bytes('"late"');

/** A result of the attempt before, beside what else can happen to the job in the same moment. */
export function lateContract(open: OpenStore): void {
  describe("late results (decision 0033)", () => {
    const store = sharedStore(open);

    /** The second attempt runs at OWNER; the first one, of OTHER, was given back. */
    async function runningJob(): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      return queue;
    }

    const late = ({ steps }: Queue): Finish =>
      steps.finish("complete", JOB, { worker: OTHER, attempt: undefined, mayBeLate: true, output: LATE });

    const rivals: readonly (readonly [string, (queue: Queue) => Step, string])[] = [
      ["the result", ({ steps }) => steps.finish("complete", JOB, { worker: OWNER }), "COMPLETED"],
      ["the error", ({ steps }) => steps.finish("fail", JOB, { worker: OWNER }), "FAILED"],
      ["a cancel", ({ steps }) => steps.cancel(JOB), "CANCELLED"],
      ["a timeout", ({ steps }) => steps.finish("timeOut", JOB), "TIMED_OUT"],
    ];
    for (const [what, rival, state] of rivals) {
      test(`R12, late result first, ${what} behind it in flight: the late one counts`, async () => {
        const queue = await runningJob();
        const [answer] = await Promise.all([queue.send(late(queue)), queue.send(rival(queue))]);
        expect(answer).toEqual({ accepted: true });
        expect(await queue.job(JOB)).toMatchObject({ state: "COMPLETED", worker: OTHER, output: LATE });
        // A worker that has reported runs it no longer.
        const isTold = what === "a cancel" || what === "a timeout";
        expect(await store().stopping(queue.endpoint, OWNER)).toEqual(isTold ? [JOB] : []);
        expect(await store().counts(queue.endpoint)).toMatchObject({ running: 0, queued: 0, completed: 1 });
      });

      test(`R12, ${what} first, the late result behind it in flight: that is ignored`, async () => {
        const queue = await runningJob();
        const [, answer] = await Promise.all([queue.send(rival(queue)), queue.send(late(queue))]);
        expect(answer).toEqual({ accepted: false });
        expect(await queue.job(JOB)).toMatchObject({ state, worker: OWNER });
        expect(await store().counts(queue.endpoint)).toMatchObject({ running: 0, queued: 0, ignored: 1 });
      });
    }

    test("P2: the progress value of the attempt that runs ends with the late result", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.progress(JOB, OWNER, bytes("50")));
      await queue.send(late(queue));
      expect((await queue.job(JOB)).state).toBe("COMPLETED");
      expect((await queue.job(JOB)).progress).toBeUndefined();
    });

    test("R12, loss of the second attempt first, in flight: the late result of one counts", async () => {
      const queue = await runningJob();
      const loss = queue.steps.giveBack(JOB, ATTEMPT, { losses: 1 });
      const [, answer] = await Promise.all([queue.send(loss), queue.send(late(queue))]);
      expect(answer).toEqual({ accepted: true });
      expect(await queue.job(JOB)).toMatchObject({ state: "COMPLETED", worker: OTHER, output: LATE });
      expect(await store().counts(queue.endpoint)).toMatchObject({ running: 0, queued: 0, queuedBytes: 0 });
    });

    test("R12, loss first, in flight: the result of the attempt that was just lost counts", async () => {
      const queue = await runningJob();
      const loss = queue.steps.giveBack(JOB, ATTEMPT, { losses: 1 });
      const own = { ...late(queue), worker: OWNER };
      const [, answer] = await Promise.all([queue.send(loss), queue.send(own)]);
      expect(answer).toEqual({ accepted: true });
      expect(await queue.job(JOB)).toMatchObject({ state: "COMPLETED", worker: OWNER, losses: 1 });
      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([]);
    });

    test("R12: of a late result and a purge in flight one has the job", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.giveBack(JOB, ATTEMPT));
      const [purged, { accepted }] = await Promise.all([
        queue.send(queue.steps.purge()),
        queue.send(late(queue)),
      ]);
      expect(purged.ids).toEqual(accepted ? [] : [JOB]);
      expect((await store().job(queue.endpoint, JOB))?.state).toBe(accepted ? "COMPLETED" : undefined);
      const completed = accepted ? 1 : 0;
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 0, queuedBytes: 0, completed });
    });
  });
}
