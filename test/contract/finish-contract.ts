import { describe, expect, test } from "bun:test";
import { RUN_RETENTION } from "../../src/domain/policy.ts";
import type { Finish } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const JOB = "job";

/** The end of a job: one result per attempt, from the worker that holds it. */
export function finishContract(open: OpenStore): void {
  describe("finish", () => {
    const store = sharedStore(open);

    test("P4: the result of the worker that holds the job is kept as it was sent", async () => {
      const queue = await runningJob();

      const answer = await queue.send(report(queue, { output: bytes('{"b":1,"10":2}') }), START + 5);

      expect(answer).toEqual({ accepted: true });
      expect(await queue.job(JOB)).toMatchObject({
        state: "COMPLETED",
        worker: OWNER,
        attempt: ATTEMPT,
        endedAt: START + 5,
        dueAt: START + 5 + RUN_RETENTION,
        output: bytes('{"b":1,"10":2}'),
        error: undefined,
      });
    });

    test("design row 11: an output that was not sent is absent, a null that was sent stays", async () => {
      const silent = await runningJob();
      await silent.send(report(silent, {}));
      const explicit = await runningJob();
      await explicit.send(report(explicit, { output: bytes("null") }));

      expect((await silent.job(JOB)).output).toBeUndefined();
      expect((await explicit.job(JOB)).output).toEqual(bytes("null"));
    });

    test("P2: a failed job has its error and no output", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.finish("fail", JOB, { worker: OWNER, error: bytes('"boom"') }));

      expect(await queue.job(JOB)).toMatchObject({
        state: "FAILED",
        error: bytes('"boom"'),
        output: undefined,
      });
    });

    test("R23: a timeout that was decided before the job came back ends nothing", async () => {
      const queue = await runningJob();
      const timeOut = queue.steps.finish("timeOut", JOB, { attempt: ATTEMPT, onlyDue: true });
      await queue.send(queue.steps.giveBack(JOB, ATTEMPT));

      expect(await queue.send(timeOut, START + 60_000)).toEqual({ accepted: false });
      expect(await queue.job(JOB)).toMatchObject({ state: "IN_QUEUE", attempt: ATTEMPT });
    });

    test("R23: a timeout that was decided before the job was retried ends nothing", async () => {
      const queue = await runningJob();
      const timeOut = queue.steps.finish("timeOut", JOB, { attempt: ATTEMPT, onlyDue: true });
      await queue.send(queue.steps.finish("fail", JOB, { worker: OWNER, error: bytes('"boom"') }));
      await queue.send(queue.steps.retry(JOB, 1_000));

      expect(await queue.send(timeOut, START + 60_000)).toEqual({ accepted: false });
      expect(await queue.job(JOB)).toMatchObject({ state: "IN_QUEUE", attempt: ATTEMPT });
    });

    test("P13: a timeout ends a job whose deadline has passed", async () => {
      const queue = await runningJob();
      const { dueAt } = await queue.job(JOB);
      const timeOut = queue.steps.finish("timeOut", JOB, { attempt: ATTEMPT, onlyDue: true });

      expect(await queue.send(timeOut, dueAt - 1)).toEqual({ accepted: false });
      expect(await queue.send(timeOut, dueAt)).toEqual({ accepted: true });
    });

    test("P2: the progress value ends with the run", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.progress(JOB, OWNER, bytes("50")));
      await queue.send(report(queue, {}));

      expect((await queue.job(JOB)).progress).toBeUndefined();
    });

    for (const [kind, promise, speaker] of [
      ["foreign", "P4", { worker: OTHER, attempt: ATTEMPT }],
      ["foreign without attempt", "P4", { worker: OTHER, attempt: undefined }],
      ["stale", "R12", { worker: OWNER, attempt: ATTEMPT - 1 }],
      ["future", "P4", { worker: OWNER, attempt: ATTEMPT + 1 }],
    ] as const) {
      test(`${promise}: a ${kind} result changes nothing and is counted`, async () => {
        const queue = await runningJob();
        const before = await queue.job(JOB);

        const answer = await queue.send(report(queue, { ...speaker, output: bytes("1") }));

        expect(answer).toEqual({ accepted: false });
        expect(await queue.job(JOB)).toEqual(before);
        expect(await store().counts(queue.endpoint)).toMatchObject({ ignored: 1, completed: 0, running: 1 });
      });
    }

    test("R12: the late result of a lost worker is ignored while the job waits again", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.giveBack(JOB, ATTEMPT, { losses: 1 }));

      expect(await queue.send(report(queue, { attempt: ATTEMPT }))).toEqual({ accepted: false });
      expect(await queue.send(report(queue, { attempt: undefined }))).toEqual({ accepted: false });
      expect((await queue.job(JOB)).state).toBe("IN_QUEUE");
      expect(await store().counts(queue.endpoint)).toMatchObject({ ignored: 2 });
    });

    test("R13: of two results the first wins, and the second is counted", async () => {
      const queue = await runningJob();
      await queue.send(report(queue, { output: bytes("1") }));

      expect(await queue.send(report(queue, { output: bytes("2") }))).toEqual({ accepted: false });
      expect((await queue.job(JOB)).output).toEqual(bytes("1"));
      expect(await store().counts(queue.endpoint)).toMatchObject({ ignored: 1, completed: 1 });
    });

    test("R13: of many results in flight one is accepted, and that is the one kept", async () => {
      const queue = await runningJob();
      const outputs = Array.from({ length: 10 }, (_, index) => bytes(String(index)));

      const answers = await Promise.all(outputs.map((output) => queue.send(report(queue, { output }))));

      const accepted = outputs.filter((_, index) => answers[index]?.accepted);
      expect(accepted).toHaveLength(1);
      expect((await queue.job(JOB)).output).toEqual(accepted[0]);
      expect(await store().counts(queue.endpoint)).toMatchObject({ ignored: 9, completed: 1, running: 0 });
    });

    test("R1: of a result and a cancel in flight one decides, and both answers agree", async () => {
      const queue = await runningJob();

      const [result, cancelled] = await Promise.all([
        queue.send(report(queue, {})),
        queue.send(queue.steps.cancel(JOB)),
      ]);

      const job = await queue.job(JOB);
      expect(job.state).toBe(result.accepted ? "COMPLETED" : "CANCELLED");
      expect(cancelled?.state).toBe(job.state);
    });

    test("P8: after a cancel no result is taken, and the job cannot be retried", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.cancel(JOB));
      const before = await queue.job(JOB);

      expect(await queue.send(report(queue, {}))).toEqual({ accepted: false });
      expect(await queue.send(queue.steps.retry(JOB, 9))).toMatchObject({ accepted: false });
      expect(await queue.job(JOB)).toEqual(before);
    });

    test("P4: a verdict of the server that comes too late is no ignored result", async () => {
      const queue = await runningJob();
      await queue.send(report(queue, {}));

      expect(await queue.send(queue.steps.finish("timeOut", JOB))).toEqual({ accepted: false });
      expect(await queue.send(queue.steps.finish("giveUp", JOB))).toEqual({ accepted: false });
      expect(await store().counts(queue.endpoint)).toMatchObject({ ignored: 0, completed: 1, failed: 0 });
    });

    test("P13: a timeout names the attempt it belongs to, and cannot end the next one", async () => {
      const queue = await runningJob();

      expect(await queue.send(queue.steps.finish("timeOut", JOB, { attempt: ATTEMPT - 1 }))).toEqual({
        accepted: false,
      });
      expect((await queue.job(JOB)).state).toBe("IN_PROGRESS");
    });

    test("T1: the same id on another endpoint is another job", async () => {
      const mine = await runningJob();
      const theirs = await runningJob();
      await mine.send(report(mine, {}));

      expect((await theirs.job(JOB)).state).toBe("IN_PROGRESS");
    });

    async function runningJob(): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      return queue;
    }
  });
}

function report(queue: Queue, given: Partial<Finish>): Finish {
  return queue.steps.finish("complete", JOB, { worker: OWNER, ...given });
}
