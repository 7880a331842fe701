import { describe, expect, test } from "bun:test";
import { deliveryId } from "../../src/domain/delivery.ts";
import type { Payload } from "../../src/domain/payload.ts";
import { isTerminal, JOB_STATES } from "../../src/domain/transitions.ts";
import type { Store } from "../../src/store/store.ts";
import { forget } from "../model/forget.ts";
import { THROWS } from "../model/model-outcomes.ts";
import { until } from "../support/until.ts";
import { answered } from "./answered.ts";
import { ATTEMPT, OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";
import { claim, endWithWebhook, record, SEALED, withWebhooks } from "./webhook-steps.ts";

const LARGE = 100_000;

/** The webhooks of ended jobs: written with the end, claimed for an attempt, and what came of it. */
export function deliveriesContract(open: OpenStore): void {
  describe("deliveries", () => {
    const opened = freshStore(open);
    const theStore = () => opened().store;

    for (const state of JOB_STATES) {
      const count = isTerminal(state) ? "one delivery, with the record of that moment" : "no delivery";
      test(`P19: a job with a webhook that is ${state} has ${count}`, async () => {
        const queue = await queueOn(theStore());
        await queue.sendAll(withWebhooks(stepsInto(state, queue.steps, "a")));

        const claimed = await claim(theStore());
        if (!isTerminal(state)) return expect(claimed).toEqual([]);
        const { progress: _, ...record } = await queue.job("a");
        const { id, queuedAt, takenAt, endedAt, worker, losses, output, error } = record;
        expect(claimed).toMatchObject([
          {
            endpoint: queue.endpoint,
            id: deliveryId(START, 1, "a"),
            job: "a",
            receiver: "a.example:443",
            state: "PENDING",
            jobState: state,
            endedAt: START,
            dueAt: START,
            attempts: 0,
            started: 1,
            webhook: SEALED,
            record: { id, state, queuedAt, takenAt, endedAt, worker, losses, output, error },
          },
        ]);
        return undefined;
      });
    }

    test("P19: a job without a webhook, and one that is purged, have none", async () => {
      const queue = await queueOn(theStore());
      await queue.sendAll(stepsInto("COMPLETED", queue.steps, "plain"));
      await queue.sendAll(withWebhooks([queue.steps.enqueue("purged", 2)]));
      await queue.send(queue.steps.purge());

      expect(await claim(theStore())).toEqual([]);
    });

    test("R13: a result that comes again, and one that lost to a cancel, leave no second one", async () => {
      const queue = await queueOn(theStore());
      await queue.sendAll(withWebhooks(stepsInto("IN_PROGRESS", queue.steps, "a")));
      const finish = queue.steps.finish("complete", "a", { worker: OWNER, attempt: ATTEMPT });
      await queue.sendAll([finish, finish, queue.steps.cancel("a"), queue.steps.finish("timeOut", "a")]);

      expect(await claim(theStore())).toMatchObject([{ jobState: "COMPLETED" }]);
    });

    test("R19: what a retry and the end of the retention take from a job, its delivery keeps", async () => {
      const queue = await queueOn(theStore());
      for (const [n, size] of [10, 3_000, LARGE].entries()) {
        const id = `job-${n}`;
        const error = await theStore().writePayload(new Uint8Array(size).fill(n + 1));
        await queue.sendAll(withWebhooks([queue.steps.enqueue(id, n), queue.steps.take(OWNER)]));
        await queue.send(queue.steps.finish("fail", id, { worker: OWNER, error }));
        await queue.sendAll([queue.steps.retry(id, 10 + n), queue.steps.cancel(id)], START + 1);
        await queue.send(forget(), START + 1e10);
        expect(await theStore().job(queue.endpoint, id)).toBeUndefined();
      }
      const claimed = await claim(theStore(), {}, START + 1);

      const failed = claimed.filter(({ jobState }) => jobState === "FAILED");
      expect(failed.map(({ id }) => id)).toEqual([0, 1, 2].map((n) => deliveryId(START, n, `job-${n}`)));
      for (const [n, size] of [10, 3_000, LARGE].entries()) {
        const error = failed[n]?.record.error;
        if (error === undefined) throw new Error("the error is gone");
        const read = await theStore().readPayload(error);
        expect(Buffer.compare(read, new Uint8Array(size).fill(n + 1))).toBe(0);
      }
      expect(claimed.filter(({ jobState }) => jobState === "CANCELLED")).toHaveLength(3);
    });

    test("R19: what the end of the retention takes from a completed job, its delivery keeps", async () => {
      const queue = await queueOn(theStore());
      const sent = [10, 3_000, LARGE].map((size) => new Uint8Array(size).fill(size % 7));
      for (const [n, bytes] of sent.entries()) {
        const output = await theStore().writePayload(bytes);
        await queue.sendAll(withWebhooks([queue.steps.enqueue(`job-${n}`, n), queue.steps.take(OWNER)]));
        await queue.send(queue.steps.finish("complete", `job-${n}`, { worker: OWNER, output }));
        await queue.send(forget(), START + 1e10);
        expect(await theStore().job(queue.endpoint, `job-${n}`)).toBeUndefined();
      }
      const claimed = await claim(theStore());
      const kept = claimed.map(({ record: { output } }) =>
        theStore().readPayload(output ?? new Uint8Array()),
      );
      expect((await Promise.all(kept)).map((bytes) => Buffer.from(bytes))).toEqual(sent.map(Buffer.from));
    });

    test("4a: a payload goes with the last of its job and its delivery, whichever that is", async () => {
      const queue = await queueOn(theStore());
      for (const order of ["job first", "delivery first"]) {
        const output = await theStore().writePayload(new Uint8Array(LARGE));
        await queue.sendAll(withWebhooks([queue.steps.enqueue(order, 1), queue.steps.take(OWNER)]));
        await queue.send(queue.steps.finish("complete", order, { worker: OWNER, output }));
        const [claimed] = await claim(theStore());
        if (claimed === undefined) throw new Error("there is no delivery");
        await record(theStore(), { ...claimed, state: "DELIVERED", dueAt: START });
        const removals = [forget(), { step: "forgetDeliveries", limit: 10 } as const];
        for (const [n, step] of (order === "job first" ? removals : removals.toReversed()).entries()) {
          expect(await queue.send(step, START + 1e10)).toEqual({ count: 1 });
          if (n === 0) expect((await theStore().readPayload(output)).length).toBe(LARGE);
          else await until("the payload is gone", () => isGone(theStore(), output));
        }
      }
    });

    test("P19: a claimed delivery is due for others when its claim is over, and not before", async () => {
      const queue = await queueOn(theStore());
      await endWithWebhook(queue, "a");

      expect(await claim(theStore(), { owner: "x", until: START + 100 })).toHaveLength(1);
      expect(await claim(theStore(), { owner: "y" }, START + 99)).toEqual([]);
      expect(await claim(theStore(), { owner: "y" }, START + 100)).toMatchObject([
        { started: 2, attempts: 0 },
      ]);
    });

    test("P19: what a killed server had claimed is due when it is back", async () => {
      const queue = await queueOn(theStore());
      await endWithWebhook(queue, "a");
      await claim(theStore(), { owner: "x" });
      await queue.send({ step: "releaseDeliveries", owner: "other" }, START + 1);
      expect(await claim(theStore(), { owner: "x" }, START + 1)).toEqual([]);

      const release = { step: "releaseDeliveries", owner: "x" } as const;
      expect(await queue.send(release, START + 1)).toEqual({ count: 1 });
      expect(await claim(theStore(), { owner: "x" }, START + 1)).toMatchObject([{ started: 2 }]);
    });

    test("P19: after a failed attempt the next is due at the time given, after the last none", async () => {
      const queue = await queueOn(theStore());
      await endWithWebhook(queue, "a");
      const [first] = await claim(theStore());
      if (first === undefined) throw new Error("there is no delivery");
      const last = { at: START + 5, status: 500, reason: undefined };
      await record(theStore(), { ...first, state: "PENDING", dueAt: START + 50, attempts: 1, last });

      expect(await claim(theStore(), {}, START + 49)).toEqual([]);
      const [second] = await claim(theStore(), {}, START + 50);
      expect(second).toMatchObject({ attempts: 1, started: 2, last, dueAt: START + 50 });
      const reason = "it did not answer.";
      const end = { at: START + 60, status: undefined, reason };
      await record(theStore(), { ...first, started: 2, state: "FAILED", dueAt: 0, attempts: 2, last: end });
      expect(await claim(theStore(), {}, START + 1e9)).toEqual([]);
      expect(await theStore().delivery(queue.endpoint, first.id)).toMatchObject({
        state: "FAILED",
        attempts: 2,
        last: end,
      });
    });

    test("R18: the outcome of an attempt is not stored if its delivery was claimed again", async () => {
      const queue = await queueOn(theStore());
      await endWithWebhook(queue, "a");
      const [late] = await claim(theStore(), { owner: "x", until: START + 10 });
      if (late === undefined) throw new Error("there is no delivery");
      await claim(theStore(), { owner: "x" }, START + 10);

      expect(await record(theStore(), { ...late, state: "FAILED" }, "x")).toEqual({ count: 0 });
      expect(await record(theStore(), { ...late, started: 2, state: "FAILED" }, "y")).toEqual({ count: 0 });
      expect(await theStore().delivery(queue.endpoint, late.id)).toMatchObject({ state: "PENDING" });
    });

    test("P19: no receiver takes the room of another, however many of its deliveries are due", async () => {
      const queue = await queueOn(theStore());
      for (let n = 0; n < 30; n++) await endWithWebhook(queue, `slow-${n}`, "slow.example:80", START + n);
      for (let n = 0; n < 3; n++) await endWithWebhook(queue, `fast-${n}`, "fast.example:80", START + 100);
      await endWithWebhook(queue, "full", "full.example:80");

      const room = [
        { receiver: "full.example:80", count: 0 },
        { receiver: "slow.example:80", count: 4 },
      ];
      const claimed = await claim(theStore(), { each: 2, room }, START + 200);
      expect(claimed.map(({ job }) => job)).toEqual([
        "slow-0",
        "slow-1",
        "slow-2",
        "slow-3",
        expect.stringMatching(/^fast-/),
        expect.stringMatching(/^fast-/),
      ]);
      expect(await claim(theStore(), { limit: 3 }, START + 200)).toHaveLength(3);
      expect(await claim(theStore(), { limit: 0 }, START + 200)).toEqual([]);
    });

    test("P19: no more bodies are claimed at once than there is room for, but one at least", async () => {
      const queue = await queueOn(theStore());
      for (let n = 0; n < 4; n++) {
        const output = new Uint8Array(1_000);
        await queue.sendAll(withWebhooks([queue.steps.enqueue(`job-${n}`, n), queue.steps.take(OWNER)]));
        await queue.send(queue.steps.finish("complete", `job-${n}`, { worker: OWNER, output }));
      }
      expect(await claim(theStore(), { byteLimit: 1 })).toHaveLength(1);
      expect(await claim(theStore(), { byteLimit: 1_001 })).toHaveLength(2);
    });

    test("P19: claims of several servers at the same time never meet", async () => {
      const queue = await queueOn(theStore());
      for (let n = 0; n < 40; n++) await endWithWebhook(queue, `job-${n}`, `${n % 7}.example:80`);

      const owners = ["x", "y", "z"];
      const claims = Array.from({ length: 12 }, (_, n) =>
        claim(theStore(), { owner: owners[n % 3] ?? "", limit: 7 }),
      );
      const jobs = (await Promise.all(claims)).flat().map(({ job }) => job);
      expect(jobs).toHaveLength(40);
      expect(new Set(jobs).size).toBe(40);
    });
  });
}

async function isGone(store: Store, payload: Payload): Promise<boolean> {
  const read = await answered(store.readPayload(payload));
  return read === THROWS;
}
