import { describe, expect, test } from "bun:test";
import type { Step } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import { sizeOf } from "../../src/domain/payload.ts";
import { EMPTY_BODY, stepsOf } from "../model/steps.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** Steps that belong together happen together or not at all, and take nobody else along. */
export function atomicityContract(open: OpenStore): void {
  describe("apply", () => {
    const opened = freshStore(open);

    /** Why a store throws: each breaks a promise of the row, not one of the steps' own rules. */
    const failures: Record<string, (queue: Queue) => Step> = {
      "a job id that is taken": ({ steps }) => steps.enqueue("taken", 99),
      "an output on a job that failed": ({ steps }) =>
        steps.finish("fail", "running", { output: bytes("1") }),
    };

    for (const [reason, failing] of Object.entries(failures)) {
      test(`P1: a call with ${reason} is undone wholly, and none of the others in flight`, async () => {
        const queue = await busyQueue();
        const { steps, store, endpoint } = queue;
        const { counts: countsBefore, ...before } = await everything(queue);

        const inFlight = await Promise.allSettled([
          queue.send(steps.enqueue("before", 10)),
          queue.sendAll([
            steps.enqueue("undone", 11),
            steps.cancel("taken"),
            steps.retry("failed", 50),
            steps.purge(0),
            { step: "put", record: endpointRecord("undone") },
            { step: "remove", kind: "template", id: "kept" },
            stepsOf("undone").enqueue("undone", 1),
            steps.seen("undone", { kind: "nothing" }),
            failing(queue),
            steps.enqueue("never", 12),
          ]),
          queue.send(steps.enqueue("after", 13)),
        ]);

        expect(inFlight.map((call) => call.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        const { counts, ...rest } = await everything(queue);
        expect(rest).toEqual(before);
        expect(counts).toEqual(
          countsBefore && {
            ...countsBefore,
            queued: countsBefore.queued + 2,
            queuedBytes: countsBefore.queuedBytes + 2 * sizeOf(EMPTY_BODY),
          },
        );
        expect((await queue.job("before")).state).toBe("IN_QUEUE");
        expect((await queue.job("after")).state).toBe("IN_QUEUE");
        expect(await store.job(endpoint, "undone")).toBeUndefined();
        expect(await store.counts("undone")).toBeUndefined();
        const [orphan] = await store.apply([stepsOf("undone").enqueue("a", 1)], START);
        expect(orphan).toEqual({ accepted: false });
      });
    }

    test("P1: a call that is undone deletes no payload, nor does a later one", async () => {
      const queue = await queueOn(opened().store);
      const { steps, endpoint } = queue;
      const error = await queue.store.writePayload(new Uint8Array(100_000).fill(7));
      await queue.sendAll([steps.enqueue("failed", 1), steps.take(OWNER), steps.enqueue("taken", 2)]);
      await queue.send(steps.finish("fail", "failed", { worker: OWNER, error }));

      const undone = queue.sendAll([steps.retry("failed", 3), steps.enqueue("taken", 99)]);
      expect((await Promise.allSettled([undone])).map(({ status }) => status)).toEqual(["rejected"]);
      await queue.send(steps.enqueue("later", 4));

      // Closing a store ends the removals that are under way.
      const store = (await opened().reopen?.()) ?? queue.store;
      const kept = (await store.job(endpoint, "failed"))?.error;
      if (kept === undefined) throw new Error("the error is gone");
      expect(await store.readPayload(kept)).toEqual(new Uint8Array(100_000).fill(7));
    });

    test("P1: a result that was undone can be sent again", async () => {
      const queue = await busyQueue();
      const { steps } = queue;
      const finish = steps.finish("complete", "running", { worker: OWNER, output: bytes("1") });

      const undone = queue.sendAll([finish, steps.enqueue("taken", 99)]);
      expect((await Promise.allSettled([undone])).map(({ status }) => status)).toEqual(["rejected"]);

      expect(await queue.send(finish)).toEqual({ accepted: true });
      expect(await queue.job("running")).toMatchObject({ state: "COMPLETED", output: bytes("1") });
    });

    test("P1: of many calls in flight exactly those that fail are undone", async () => {
      const queue = await busyQueue();
      const { steps } = queue;
      const calls = Array.from({ length: 40 }, (_, n) =>
        n % 7 === 3
          ? queue.sendAll([steps.enqueue(`job-${n}`, 100 + n), steps.enqueue("taken", 99)])
          : queue.sendAll([steps.enqueue(`job-${n}`, 100 + n), steps.enqueue(`twin-${n}`, 200 + n)]),
      );

      const settled = await Promise.allSettled(calls);

      for (const [n, { status }] of settled.entries()) {
        expect(status).toBe(n % 7 === 3 ? "rejected" : "fulfilled");
        const job = await queue.store.job(queue.endpoint, `job-${n}`);
        const twin = await queue.store.job(queue.endpoint, `twin-${n}`);
        expect([job?.state, twin?.state]).toEqual(
          status === "fulfilled" ? ["IN_QUEUE", "IN_QUEUE"] : [undefined, undefined],
        );
      }
    });

    test("P1: when every call in flight fails, nothing has happened and the next one is served", async () => {
      const queue = await busyQueue();
      const { steps } = queue;
      const before = await everything(queue);

      const settled = await Promise.allSettled(
        [1, 2, 3].map((n) => queue.sendAll([steps.enqueue(`job-${n}`, n), steps.enqueue("taken", 9)])),
      );

      expect(settled.map((call) => call.status)).toEqual(["rejected", "rejected", "rejected"]);
      expect(await everything(queue)).toEqual(before);
      expect(await queue.send(steps.enqueue("next", 9))).toEqual({ accepted: true });
    });

    test("invariant 5: a payload that an undone call would have dropped is still there", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;
      const error = await store.writePayload(new Uint8Array(100_000).fill(7));
      await queue.sendAll([
        steps.enqueue("taken", 1),
        steps.take(OWNER),
        steps.finish("fail", "taken", { error }),
      ]);

      await Promise.allSettled([
        queue.sendAll([steps.retry("taken", 2), steps.enqueue("taken", 3)]),
        queue.send(steps.enqueue("other", 4)),
      ]);
      await queue.send(steps.enqueue("another", 5));

      const kept = (await queue.job("taken")).error;
      expect(kept && (await store.readPayload(kept))).toHaveLength(100_000);
    });

    test("4a: steps of one call run in their order, and each sees those before it", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;

      const answers = await queue.sendAll([
        steps.enqueue("a", 1),
        steps.take(OWNER),
        steps.append("a", OWNER, [bytes("1")]),
        steps.drain("a"),
        steps.finish("complete", "a", { worker: OWNER, attempt: 1 }),
        steps.cancel("a"),
        steps.retry("a", 2),
      ]);

      expect(answers).toMatchObject([
        { accepted: true },
        [{ id: "a", attempt: 1 }],
        { accepted: true },
        { next: 1, job: { state: "IN_PROGRESS" } },
        { accepted: true },
        { state: "COMPLETED" },
        { accepted: false, job: { state: "COMPLETED" } },
      ]);
    });

    test("4a: a refused step undoes nothing of its call", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;

      await queue.sendAll([steps.finish("complete", "nothing", { worker: OWNER }), steps.enqueue("a", 1)]);

      expect((await queue.job("a")).state).toBe("IN_QUEUE");
    });

    test("4a: a call without steps is answered", async () => {
      expect(await opened().store.apply([], START)).toEqual([]);
    });

    test("4a: a change that was answered is what the next read sees", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await Promise.all(
        Array.from({ length: 30 }, async (_, n) => {
          await queue.send(queue.steps.enqueue(`job-${n}`, n));
          expect((await store.job(queue.endpoint, `job-${n}`))?.state).toBe("IN_QUEUE");
          await queue.send(queue.steps.cancel(`job-${n}`));
          expect((await store.job(queue.endpoint, `job-${n}`))?.state).toBe("CANCELLED");
        }),
      );
    });

    /** Jobs for a failing call to work on: some waiting, one running, one failed; and a record. */
    async function busyQueue(): Promise<Queue> {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;
      await queue.sendAll(stepsInto("FAILED", steps, "failed", 1));
      await queue.sendAll(stepsInto("IN_PROGRESS", steps, "running", 2));
      await queue.sendAll([steps.enqueue("waiting", 0), steps.enqueue("taken", 3)]);
      await store.apply([{ step: "put", record: { ...endpointRecord("kept"), kind: "template" } }], START);
      return queue;
    }

    async function everything({ store, endpoint }: Queue) {
      return {
        counts: await store.counts(endpoint),
        changes: await store.changesSince(0),
        workers: await store.workers(endpoint, 0),
        jobs: await Promise.all(
          ["waiting", "taken", "running", "failed"].map((id) => store.job(endpoint, id)),
        ),
      };
    }
  });
}
