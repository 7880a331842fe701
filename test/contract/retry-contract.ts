import { describe, expect, test } from "bun:test";
import { forget } from "../model/forget.ts";
import { DEFAULT_POLICY, RUN_RETENTION } from "../../src/domain/policy.ts";
import { bytes } from "../model/bytes.ts";
import { DELIVERY_LEASE } from "../model/steps.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const JOB = "job";

/** What comes back to the queue: by a retry, or because an attempt was lost. */
export function retryContract(open: OpenStore): void {
  describe("retry and giveBack", () => {
    const store = sharedStore(open);

    test("P10: a retried job is the same with a new ttl, and without result, chunks and losses", async () => {
      const queue = await failedJob();

      await queue.send(queue.steps.retry(JOB, 77), START + 1_000);

      expect(await queue.job(JOB)).toMatchObject({
        state: "IN_QUEUE",
        position: 77,
        attempt: ATTEMPT + 1,
        losses: 0,
        undelivered: 0,
        worker: undefined,
        takenAt: undefined,
        endedAt: undefined,
        queuedAt: START + 1_000,
        expiresAt: START + 1_000 + DEFAULT_POLICY.ttl,
        dueAt: START + 1_000 + DEFAULT_POLICY.ttl,
        error: undefined,
      });
      expect(await queue.chunks(JOB)).toEqual([]);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 1, retried: 2, failed: 1 });
    });

    test("P10: the answer to a retry is the row after it, or the row that it left alone", async () => {
      const queue = await failedJob();

      const won = await queue.send(queue.steps.retry(JOB, 77), START + 1_000);
      const rowAfter = await queue.job(JOB);
      const lost = await queue.send(queue.steps.retry(JOB, 78), START + 1_000);

      expect(rowAfter).toMatchObject({ ...won.job });
      expect(lost).toEqual({ ...won, accepted: false });
    });

    test("R5: a retry goes behind the last run, also by a server whose clock is behind", async () => {
      const queue = await failedJob();
      const before = (await queue.job(JOB)).position;

      const { job } = await queue.send(queue.steps.retry(JOB, before - 5), START + 1_000);

      expect(job?.position).toBe(before + 1);
      expect((await queue.job(JOB)).position).toBe(before + 1);
    });

    test("R6: who may report the last attempt again is barred from the next for a while", async () => {
      const queue = await failedJob();
      await queue.send(queue.steps.retry(JOB, 77, START + 10, OWNER));
      expect(await queue.send(queue.steps.take(OWNER), START + 9)).toEqual([]);
      expect(await queue.send(queue.steps.take(OWNER), START + 10)).toHaveLength(1);
    });

    test("R6: another worker gets it at once", async () => {
      const queue = await failedJob();
      await queue.send(queue.steps.retry(JOB, 77, START + 10, OWNER));
      expect(await queue.send(queue.steps.take(OTHER))).toHaveLength(1);
    });

    test("R4: a job that still runs is answered as such, though its lease or its ttl is over", async () => {
      const queue = await runningJob();

      const answer = await queue.send(queue.steps.retry(JOB, 9), START + DEFAULT_POLICY.ttl);

      expect(answer).toMatchObject({ accepted: false, job: { state: "IN_PROGRESS", attempt: ATTEMPT } });
    });

    test("P10: of many retries in flight exactly one wins", async () => {
      const queue = await failedJob();

      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => queue.send(queue.steps.retry(JOB, 100 + index))),
      );

      expect(answers.filter((answer) => answer.accepted)).toHaveLength(1);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 1, retried: 2 });
    });

    test("R4: until the last millisecond of its retention a job can be retried, then not", async () => {
      const gone = await failedJob();
      const alive = await failedJob();

      expect(await gone.send(gone.steps.retry(JOB, 9), START + RUN_RETENTION)).toEqual({
        job: undefined,
        accepted: false,
      });
      const last = await alive.send(alive.steps.retry(JOB, 9), START + RUN_RETENTION - 1);
      expect(last.accepted).toBe(true);
    });

    test("R4: of a retry and a forget at the same time one decides", async () => {
      const queue = await failedJob();
      const end = START + RUN_RETENTION;

      const [retried] = await Promise.all([
        queue.send(queue.steps.retry(JOB, 9), end - 1),
        store().apply([forget(10)], end),
      ]);

      const job = await store().job(queue.endpoint, JOB);
      expect(job?.state).toBe(retried.accepted ? "IN_QUEUE" : undefined);
    });

    test("R5: the late result of the failed attempt cannot end the retried one", async () => {
      const queue = await failedJob();
      await queue.send(queue.steps.retry(JOB, 9));
      await queue.send(queue.steps.take(OWNER));
      const late = queue.steps.finish("fail", JOB, { worker: OWNER, attempt: ATTEMPT + 1 });

      expect(await queue.send(late)).toEqual({ accepted: false });
      expect((await queue.job(JOB)).state).toBe("IN_PROGRESS");
    });

    test("P7: a job that was given back keeps its position and its ttl, and loses its worker", async () => {
      const queue = await runningJob();
      const before = await queue.job(JOB);

      await queue.send(
        queue.steps.giveBack(JOB, ATTEMPT, { losses: 1, undelivered: 1, barUntil: START + 9_000 }),
        START + 3_000,
      );

      expect(await queue.job(JOB)).toEqual({
        ...before,
        state: "IN_QUEUE",
        worker: undefined,
        takenAt: undefined,
        queuedAt: START + 3_000,
        dueAt: before.expiresAt,
        losses: 1,
        undelivered: 1,
      });
    });

    test("P5: what an attempt has shown is forgotten with it", async () => {
      const queue = await runningJob();
      await queue.sendAll([
        queue.steps.append(JOB, OWNER, [bytes("1")]),
        queue.steps.progress(JOB, OWNER, bytes("2")),
        queue.steps.giveBack(JOB, ATTEMPT, { losses: 1 }),
        queue.steps.take(OTHER),
      ]);

      expect(await queue.job(JOB)).toMatchObject({
        proved: false,
        denials: 0,
        progress: undefined,
        dueAt: START + DELIVERY_LEASE,
      });
      expect(await queue.chunks(JOB)).toEqual([]);
    });

    test("design row 12: only a return with a loss counts as retried", async () => {
      const queue = await runningJob();
      await queue.send(queue.steps.giveBack(JOB, ATTEMPT, { undelivered: 1 }));
      expect(await store().counts(queue.endpoint)).toMatchObject({ retried: 0, queued: 1, running: 0 });
      await queue.send(queue.steps.take(OWNER));
      await queue.send(queue.steps.giveBack(JOB, ATTEMPT + 1, { losses: 1, undelivered: 1 }));
      expect(await store().counts(queue.endpoint)).toMatchObject({ retried: 1, queued: 1, running: 0 });
    });

    async function runningJob(): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      return queue;
    }

    /** On its third attempt, with a loss, a chunk and an error. */
    async function failedJob(): Promise<Queue> {
      const queue = await runningJob();
      await queue.sendAll([
        queue.steps.giveBack(JOB, ATTEMPT, { losses: 1, undelivered: 1 }),
        queue.steps.take(OWNER),
        queue.steps.append(JOB, OWNER, [bytes("1")]),
        queue.steps.finish("fail", JOB, { worker: OWNER, error: bytes('"boom"') }),
      ]);
      return queue;
    }
  });
}
