import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { JOB_STATES } from "../../src/domain/transitions.ts";
import type { WorkerContact } from "../../src/store/store.ts";
import { forget } from "../model/forget.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const JOB = "job";
const CALLED = { pings: true, hasHungUp: false, stray: undefined };

/** What is known of workers: which jobs they hold, which they should stop, when they were last heard of. */
export function workersContract(open: OpenStore): void {
  describe("workers", () => {
    const store = sharedStore(open);

    for (const state of JOB_STATES) {
      const isHeld = state === "IN_PROGRESS";
      const isStopping = state === "CANCELLED" || state === "TIMED_OUT";
      const verdict = isHeld ? "held" : isStopping ? "to be stopped" : "nobody's business";

      test(`P8: a job that is ${state} is ${verdict}`, async () => {
        const queue = await queueWith(state);

        expect(await heldBy(queue, OWNER)).toEqual(isHeld ? [JOB] : []);
        expect(await store().stopping(queue.endpoint, OWNER)).toEqual(isStopping ? [JOB] : []);
        expect(await heldBy(queue, OTHER)).toEqual([]);
        expect(await store().stopping(queue.endpoint, OTHER)).toEqual([]);
      });
    }

    test("P8: no worker has to stop a job that ended while it waited", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([
        queue.steps.enqueue("cancelled", 1),
        queue.steps.enqueue("timed-out", 2),
        queue.steps.cancel("cancelled"),
        queue.steps.finish("timeOut", "timed-out"),
      ]);

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([]);
      expect(await store().stopping(queue.endpoint, "")).toEqual([]);
    });

    test("R3: a worker has to stop a cancelled job as long as it shows the job", async () => {
      const queue = await queueWith("CANCELLED");
      await queue.send(queue.steps.seen(OWNER, [JOB], START));
      await queue.send(queue.steps.seen(OWNER, { kind: "all" }, START));
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }, START));
      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([JOB]);

      const { denied } = await queue.send(queue.steps.seen(OWNER, ["another"], START));

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([]);
      expect(denied).toEqual([]);
    });

    test("R3: a call that set out before the hand-out does not release a cancelled job", async () => {
      const queue = await queueWith("CANCELLED");
      await queue.send(queue.steps.seen(OWNER, { kind: "none" }, START - 1));

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([JOB]);
    });

    test("R3: a worker that reports a job that has ended does not have to stop it", async () => {
      const queue = await queueWith("TIMED_OUT");
      await queue.send(queue.steps.finish("complete", JOB, { worker: OTHER }));
      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([JOB]);

      await queue.send(queue.steps.finish("complete", JOB, { worker: OWNER, attempt: ATTEMPT }));

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([]);
      expect((await queue.job(JOB)).state).toBe("TIMED_OUT");
    });

    test("R12: the late report of an earlier attempt leaves the newest one to be stopped", async () => {
      const queue = await queueWith("CANCELLED");
      await queue.send(queue.steps.finish("complete", JOB, { worker: OWNER, attempt: ATTEMPT - 1 }));

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([JOB]);
    });

    test("R3: a verdict of the server that comes too late leaves the worker to be stopped", async () => {
      const queue = await queueWith("CANCELLED");
      await queue.send(queue.steps.finish("timeOut", JOB));

      expect(await store().stopping(queue.endpoint, OWNER)).toEqual([JOB]);
    });

    test("P16: workers are known with their last contact and the number of jobs they run", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([
        queue.steps.enqueue("a", 1),
        queue.steps.enqueue("b", 2, { policy: { ...DEFAULT_POLICY, lowPriority: true } }),
      ]);
      await queue.send(queue.steps.seen("busy", { kind: "nothing" }), START + 1);
      await queue.send(queue.steps.take("busy", { count: 2 }), START + 1);
      await queue.send(queue.steps.seen("idle", { kind: "nothing" }), START + 2);
      await queue.send(queue.steps.seen("gone", { kind: "nothing" }), START + 1);

      expect(byName(await store().workers(queue.endpoint, START + 2))).toEqual([
        { worker: "busy", ...CALLED, lastContact: START + 1, running: 2, runningLowPriority: 1 },
        { worker: "idle", ...CALLED, lastContact: START + 2, running: 0, runningLowPriority: 0 },
      ]);
    });

    test("P16: workers of many endpoints are those of each; one without any is left out", async () => {
      const [one, other, empty] = [await queueOn(store()), await queueOn(store()), await queueOn(store())];
      await one.sendAll([one.steps.enqueue("a", 1)]);
      await one.send(one.steps.seen("busy", { kind: "nothing" }), START + 1);
      await one.send(one.steps.take("busy"), START + 1);
      for (const queue of [one, other])
        await queue.send(queue.steps.seen("idle", { kind: "nothing" }), START + 2);
      await other.send(other.steps.seen("gone", { kind: "nothing" }), START + 1);

      const all = await store().workersOf(
        [one.endpoint, empty.endpoint, other.endpoint, "absent"],
        START + 2,
      );
      expect([...all.keys()].toSorted()).toEqual([one.endpoint, other.endpoint].toSorted());
      for (const { endpoint } of [one, other]) {
        expect(byName(all.get(endpoint) ?? [])).toEqual(byName(await store().workers(endpoint, START + 2)));
      }
      expect(all.get(one.endpoint)?.length).toBe(2);
      expect(await store().workersOf([], 0)).toEqual(new Map());
    });

    test("4a: a worker that is long gone is deleted, unless it may still run a job", async () => {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("CANCELLED", queue.steps, JOB));
      await queue.sendAll([queue.steps.enqueue("b", 2), queue.steps.take(OTHER)]);
      for (const worker of [OWNER, OTHER, "gone"]) {
        await queue.send(queue.steps.seen(worker, { kind: "nothing" }), START + 1);
      }
      await queue.send(queue.steps.seen("here", { kind: "nothing" }), START + 2);

      await queue.send(forget(10, START + 2));

      const left = byName(await store().workers(queue.endpoint, 0));
      expect(left.map((contact) => contact.worker)).toEqual(["here", OTHER, OWNER]);
    });

    test("P14: a call that arrives out of order does not make the last contact older", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }), START + 5);
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }), START + 3);

      expect(await store().workers(queue.endpoint, 0)).toMatchObject([{ lastContact: START + 5 }]);
    });

    test("R22: after a hang-up pings do not renew the last contact; any other call does", async () => {
      const queue = await queueOn(store());
      const call = (kind: "ping" | "call" | "hangUp", at: number) =>
        queue.send(queue.steps.seen(OWNER, [], 0, { call: kind }), START + at);
      const contact = async () => (await store().workers(queue.endpoint, 0))[0];
      await call("hangUp", 1);
      await call("ping", 2);
      expect(await contact()).toMatchObject({ lastContact: START + 1, hasHungUp: true });
      await call("call", 3);
      await call("ping", 4);
      expect(await contact()).toMatchObject({ lastContact: START + 4, hasHungUp: false });
      // The same in one commit.
      const [hangUp, ping] = [{ call: "hangUp" }, { call: "ping" }] as const;
      await queue.sendAll(
        [queue.steps.seen(OWNER, [], 0, hangUp), queue.steps.seen(OWNER, [], 0, ping)],
        START + 5,
      );
      expect(await contact()).toMatchObject({ hasHungUp: true });
    });

    test("decision 0033: a worker that has pinged once counts as one that pings", async () => {
      const queue = await queueOn(store());
      const pings = async () => (await store().workers(queue.endpoint, 0))[0]?.pings;
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }, 0, { pings: false }));
      expect(await pings()).toBe(false);
      await queue.send(queue.steps.seen(OWNER, []));
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }, 0, { pings: false }));
      expect(await pings()).toBe(true);
    });

    test("decision 0033: jobs that a worker lists and does not hold are kept with a time", async () => {
      const queue = await queueWith("IN_PROGRESS");
      const ping = (ids: string[], at: number) =>
        queue.send(queue.steps.seen(OWNER, ids, 0, { call: "ping" }), START + at);
      const stray = async () => (await store().workers(queue.endpoint, 0))[0]?.stray;
      await ping([JOB], 1);
      expect(await stray()).toBeUndefined();
      await ping([JOB, "old", "older"], 2);
      await ping(["old", "older"], 3);
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }), START + 4);
      expect(await stray()).toEqual({ job: "old", since: START + 2 });
      await ping(["older"], 5);
      expect(await stray()).toEqual({ job: "older", since: START + 5 });
      await ping([], 6);
      expect(await stray()).toBeUndefined();
    });

    test("T1: a worker of another endpoint is unknown here", async () => {
      const [mine, theirs] = [await queueWith("IN_PROGRESS"), await queueOn(store())];
      await mine.send(mine.steps.seen(OWNER, { kind: "all" }));

      expect(await store().workers(theirs.endpoint, 0)).toEqual([]);
      expect(await heldBy(theirs, OWNER)).toEqual([]);
    });

    async function queueWith(state: (typeof JOB_STATES)[number]): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto(state, queue.steps, JOB));
      return queue;
    }
  });

  describe("silent and due", () => {
    const opened = freshStore(open);

    test("P16: the running jobs of a worker last seen before a time are silent", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      for (const [index, worker] of ["quiet", "loud", "idle"].entries()) {
        await queue.send(queue.steps.enqueue(worker, index), START);
        if (worker !== "idle") await queue.send(queue.steps.take(worker), START);
      }
      await queue.send(queue.steps.seen("quiet", { kind: "nothing" }), START + 1_000);
      await queue.send(queue.steps.seen("loud", { kind: "nothing" }), START + 2_000);

      expect(await store.silent(START + 1_000, 10)).toEqual([]);
      expect(await store.silent(START + 1_001, 10)).toEqual([
        { job: await rowOf(queue, "quiet"), hasHungUp: false },
      ]);
      expect(await store.silent(START + 9_000, 10)).toHaveLength(2);
      expect(await store.silent(START + 9_000, 1)).toHaveLength(1);
    });

    test("decision 0033: a silent worker has no lease, unless it hung up after the hand-out", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const seen = (call: "call" | "hangUp", at: number) =>
        queue.send(queue.steps.seen(OWNER, { kind: "nothing" }, 0, { pings: false, call }), START + at);
      await seen("hangUp", 1);
      await queue.send(queue.steps.enqueue("a", 1), START + 2);
      await queue.send(queue.steps.take(OWNER, { deliveryLease: undefined }), START + 2);
      expect(await store.silent(START * 2, 10)).toEqual([]);
      await seen("call", 3);
      expect(await store.silent(START * 2, 10)).toEqual([]);
      await seen("hangUp", 4);
      expect(await store.silent(START * 2, 10)).toEqual([{ job: await rowOf(queue, "a"), hasHungUp: true }]);
    });

    test("P16: an ended job is not silent, though its worker may still run it", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.send(queue.steps.seen(OWNER, { kind: "nothing" }));
      await queue.sendAll(stepsInto("CANCELLED", queue.steps, JOB));

      expect(await store.silent(START + 9_000, 10)).toEqual([]);
    });

    test("P13: unfinished jobs are due from their deadline on, the longest overdue first", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      for (const [id, ttl] of Object.entries({ second: 20_000, third: 30_000, first: 10_000 })) {
        const policy = { executionTimeout: 60_000, ttl, lowPriority: false };
        await queue.send(queue.steps.enqueue(id, ttl, { policy }));
      }
      const due = async (now: number, limit: number) => (await store.due(now, limit)).map((job) => job.id);

      expect(await due(START + 9_999, 10)).toEqual([]);
      expect(await due(START + 10_000, 10)).toEqual(["first"]);
      expect(await due(START + 30_000, 10)).toEqual(["first", "second", "third"]);
      expect(await due(START + 30_000, 2)).toEqual(["first", "second"]);
      expect(await store.due(START + 10_000, 1)).toEqual([await rowOf(queue, "first")]);
    });

    test("P13: a finished job is not due, it is deleted", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.sendAll(stepsInto("COMPLETED", queue.steps, JOB));

      expect(await store.due(START * 2, 10)).toEqual([]);
    });
  });
}

async function heldBy({ store, endpoint }: Queue, worker: string): Promise<string[]> {
  return (await store.held(endpoint, worker)).map((job) => job.id);
}

/** The job as reads of many give it: without its result, which these jobs do not have. */
async function rowOf(queue: Queue, id: string) {
  const { output: _output, error: _error, progress: _progress, ...row } = await queue.job(id);
  return row;
}

function byName(contacts: readonly WorkerContact[]): WorkerContact[] {
  return contacts.toSorted((a, b) => (a.worker < b.worker ? -1 : 1));
}
