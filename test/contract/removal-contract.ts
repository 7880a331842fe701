import { describe, expect, test } from "bun:test";
import { isStored, type Payload, type StoredPayload } from "../../src/domain/payload.ts";
import { rejection } from "../support/rejection.ts";
import { until } from "../support/until.ts";
import { forget } from "../model/forget.ts";
import { DEFAULT_POLICY, RUN_RETENTION } from "../../src/domain/policy.ts";
import { isTerminal, JOB_STATES } from "../../src/domain/transitions.ts";
import { bytes } from "../model/bytes.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

/** Jobs that go: purged from the queue, or forgotten when their retention is over. */
export function removalContract(open: OpenStore): void {
  describe("purge", () => {
    const store = sharedStore(open);

    test("P9: the oldest waiting jobs up to a position go, and the answer names each", async () => {
      const queue = await queueOn(store());
      await queue.sendAll(["a", "b", "c", "d", "e"].map((id, n) => queue.steps.enqueue(id, 10 * n)));
      await queue.send(queue.steps.take("worker"));

      expect(await queue.send(queue.steps.purge(30, 2))).toEqual({ ids: ["b", "c"] });
      expect(await queue.send(queue.steps.purge(30, 2))).toEqual({ ids: ["d"] });
      expect(await queue.send(queue.steps.purge(30, 2))).toEqual({ ids: [] });
      expect((await queue.job("a")).state).toBe("IN_PROGRESS");
      expect((await queue.job("e")).state).toBe("IN_QUEUE");
      expect(await store().job(queue.endpoint, "b")).toBeUndefined();
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 1, running: 1 });
    });

    test("P9: jobs that came back are purged as well", async () => {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_QUEUE", queue.steps, "a"));

      expect(await queue.send(queue.steps.purge())).toEqual({ ids: ["a"] });
    });

    test("T1: a purge keeps to its endpoint", async () => {
      const [mine, theirs] = [await queueOn(store()), await queueOn(store())];
      await theirs.send(theirs.steps.enqueue("a", 1));

      expect(await mine.send(mine.steps.purge())).toEqual({ ids: [] });
      expect((await theirs.job("a")).state).toBe("IN_QUEUE");
    });

    test("R7: with takes, returns and purges in flight each job is taken, purged or left", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      const ids = Array.from({ length: 2_000 }, (_, n) => `job-${n}`);
      await queue.sendAll(ids.map((id, n) => steps.enqueue(id, n)));
      const taken = new Set<string>();
      const purged: string[] = [];

      async function takeSome(worker: string): Promise<void> {
        for (let turn = 0; turn < 20; turn++) {
          const jobs = await queue.send(steps.take(worker, { count: 7 }));
          for (const { id } of jobs) taken.add(id);
          const [returned] = jobs;
          if (turn % 3 === 0 && returned !== undefined) {
            const back = await queue.send(steps.giveBack(returned.id, returned.attempt));
            if (back.accepted) taken.delete(returned.id);
          }
        }
      }
      async function purgeSome(): Promise<void> {
        for (let turn = 0; turn < 15; turn++) {
          purged.push(...(await queue.send(steps.purge(1_500, 11))).ids);
        }
      }
      const workers = Array.from({ length: 8 }, (_, n) => takeSome(`worker-${n}`));
      await Promise.all([...workers, ...Array.from({ length: 5 }, purgeSome)]);

      const left: string[] = [];
      for (const id of ids) {
        const job = await store().job(queue.endpoint, id);
        if (job?.state === "IN_QUEUE") left.push(id);
        else expect(job?.state).toBe(taken.has(id) ? "IN_PROGRESS" : undefined);
      }
      expect(purged.length).toBeGreaterThan(0);
      expect([...taken, ...purged, ...left].toSorted()).toEqual(ids.toSorted());
      expect(await store().counts(queue.endpoint)).toMatchObject({
        queued: left.length,
        running: taken.size,
      });
    });
  });

  describe("forget", () => {
    const opened = freshStore(open);

    for (const state of JOB_STATES) {
      test(`R4: ${state}, when its retention is over, ${isTerminal(state) ? "goes" : "stays"}`, async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        await queue.sendAll(stepsInto(state, queue.steps, "a"));
        expect(await queue.send(forget(), START + RUN_RETENTION - 1)).toEqual({ count: 0 });
        const end = isTerminal(state) ? START + RUN_RETENTION : START + 2 * DEFAULT_POLICY.ttl;
        expect(await queue.send(forget(), end)).toEqual({ count: isTerminal(state) ? 1 : 0 });

        const after = await store.job(queue.endpoint, "a");
        expect(after?.state).toBe(isTerminal(state) ? undefined : state);
      });
    }

    test("4a: forgetting goes in slices, and leaves the counters of what has happened", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      for (let n = 0; n < 5; n++) await queue.sendAll(stepsInto("COMPLETED", queue.steps, `job-${n}`));
      const slice = forget(2);

      const counts = [];
      for (let n = 0; n < 4; n++) counts.push((await queue.send(slice, START + RUN_RETENTION)).count);

      expect(counts).toEqual([2, 2, 1, 0]);
      expect(await store.counts(queue.endpoint)).toMatchObject({ completed: 5, queued: 0, running: 0 });
    });

    test("4a: a job with very many chunks goes with them, after as many slices as it takes", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;
      await queue.sendAll([steps.enqueue("a", 1), steps.take(OWNER)]);
      const chunks = Array.from({ length: 2_500 }, () => bytes("1"));
      await queue.send(steps.append("a", OWNER, chunks));
      await queue.sendAll([steps.finish("complete", "a"), ...stepsInto("COMPLETED", steps, "b")]);

      let count = 0;
      for (let hasMore: true | undefined = true; hasMore;) {
        const answer = await queue.send(forget(10), START + RUN_RETENTION);
        ({ hasMore } = answer);
        count += answer.count;
      }

      expect(count).toBe(2);
      await queue.sendAll([steps.enqueue("a", 3), steps.take(OWNER)]);
      expect(await queue.send(steps.drain("a"))).toMatchObject({ chunks: [], remaining: 0 });
    });

    test("4a: jobs with many chunks go in the same slice as far as their chunks fit", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;
      for (const [id, count] of [
        ["a", 600],
        ["b", 400],
      ] as const) {
        await queue.sendAll([steps.enqueue(id, count), steps.take(OWNER)]);
        const chunks = Array.from({ length: count }, () => bytes("1"));
        await queue.sendAll([steps.append(id, OWNER, chunks), steps.finish("complete", id)]);
      }

      expect(await queue.send(forget(10), START + RUN_RETENTION)).toEqual({ count: 2 });
    });

    test("4a: idempotency keys go in slices too, and a step says that more are due", async () => {
      const queue = await queueOn(opened().store);
      for (let n = 0; n < 3; n++) {
        const idempotency = { key: `key-${n}`, digest: new Uint8Array(32), until: START + 1 };
        await queue.send(queue.steps.enqueue(`job-${n}`, n, { idempotency }));
      }
      expect(await queue.send(forget(2), START + 1)).toEqual({ count: 0, hasMore: true });
      expect(await queue.send(forget(2), START + 1)).toEqual({ count: 0 });
    });

    test("P8: a forgotten job is nobody's to stop, and its id is free", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.sendAll(stepsInto("CANCELLED", queue.steps, "a"));
      await queue.send(forget(10), START + RUN_RETENTION);

      expect(await store.stopping(queue.endpoint, OWNER)).toEqual([]);
      expect(await queue.send(queue.steps.enqueue("a", 2))).toEqual({ accepted: true });
      expect(await queue.job("a")).toMatchObject({ attempt: 0, state: "IN_QUEUE" });
    });

    for (const way of ["forget", "purge"] as const) {
      test(`4a: ${way} takes chunks and payloads of every size along`, async () => {
        const { store, outsideRows } = opened();
        const queue = await queueOn(store);
        const { steps } = queue;
        const written: StoredPayload[] = [];
        const payload = async (size: number): Promise<Payload> => {
          const one = await store.writePayload(new Uint8Array(size).fill(size % 251));
          if (isStored(one)) written.push(one);
          return one;
        };
        const [kept, ownRow] = [await payload(100_000), await payload(3_003)];
        await queue.sendAll([
          steps.enqueue("kept", 1, { body: kept, secret: ownRow }),
          steps.take("other"),
          steps.append("kept", "other", [bytes("1"), ownRow]),
        ]);
        const before = await outsideRows?.();

        // Each kind is once in a row of its own, and once larger than any row.
        for (const [id, size] of Object.entries({ a: 3_000, b: 100_001 })) {
          await queue.sendAll([
            steps.enqueue(id, 2, { body: await payload(size), secret: await payload(size) }),
            steps.take(OWNER),
            steps.append(id, OWNER, [await payload(size), await payload(size), bytes("1")]),
            steps.progress(id, OWNER, await payload(size)),
          ]);
        }
        if (way === "purge") {
          await queue.sendAll([steps.giveBack("a", 1), steps.giveBack("b", 1)]);
          expect(await queue.send(steps.purge())).toEqual({ ids: ["a", "b"] });
        } else {
          await queue.send(steps.finish("complete", "a", { output: await payload(3_000) }));
          await queue.send(steps.finish("fail", "b", { error: await payload(100_001) }));
          expect(await queue.send(forget(10), START + RUN_RETENTION)).toEqual({ count: 2 });
        }

        for (const one of written.filter((other) => other !== kept)) {
          await until("the payload is gone", async () =>
            (await rejection(store.readPayload(one))).includes("expired"),
          );
        }
        if (outsideRows !== undefined) expect(await outsideRows()).toBe(before ?? NaN);
        expect(await store.readPayload(kept)).toEqual(new Uint8Array(100_000).fill(100_000 % 251));
        expect(await queue.chunks("kept")).toEqual([bytes("1"), new Uint8Array(3_003).fill(3_003 % 251)]);

        await queue.sendAll([steps.enqueue("a", 3), steps.enqueue("b", 3), steps.take(OWNER, { count: 2 })]);
        for (const id of ["a", "b"]) {
          expect(await queue.chunks(id)).toEqual([]);
          const none = { output: undefined, error: undefined, progress: undefined };
          expect(await queue.job(id)).toMatchObject(none);
        }
      });
    }
  });
}
