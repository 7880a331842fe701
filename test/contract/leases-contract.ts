import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { bytes } from "../model/bytes.ts";
import { DELIVERY_LEASE } from "../model/steps.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const WORKER = "worker";
const PROVED_DUE = START + DEFAULT_POLICY.executionTimeout;

/** What the calls of a worker show of its jobs: proof of receipt, and denial. */
export function leasesContract(open: OpenStore): void {
  describe("seen", () => {
    const store = sharedStore(open);

    for (const [how, prove] of [
      ["a call that shows all", ({ steps }: Queue) => steps.seen(WORKER, { kind: "all" })],
      ["a call that lists it", ({ steps }: Queue) => steps.seen(WORKER, ["a"])],
      ["a chunk", ({ steps }: Queue) => steps.append("a", WORKER, [bytes("1")])],
      ["no chunk at all", ({ steps }: Queue) => steps.append("a", WORKER, [])],
      ["a progress value", ({ steps }: Queue) => steps.progress("a", WORKER, bytes("1"))],
    ] as const) {
      test(`P17: ${how} proves receipt, and the delivery lease is over`, async () => {
        const queue = await queueHolding("a");
        expect(await queue.job("a")).toMatchObject({ proved: false, dueAt: START + DELIVERY_LEASE });

        await queue.send(prove(queue), START + 2_000);

        expect(await queue.job("a")).toMatchObject({ proved: true, dueAt: PROVED_DUE });
      });
    }

    for (const [what, notProve] of [
      ["a call that shows nothing", ({ steps }: Queue) => steps.seen(WORKER, { kind: "nothing" })],
      ["a list of other jobs", ({ steps }: Queue) => steps.seen(WORKER, ["b"])],
      ["what another worker shows", ({ steps }: Queue) => steps.seen("other", ["a"])],
      ["all of another worker", ({ steps }: Queue) => steps.seen("other", { kind: "all" })],
      ["a foreign chunk", ({ steps }: Queue) => steps.append("a", "other", [bytes("1")])],
      ["a stale chunk", ({ steps }: Queue) => steps.append("a", WORKER, [bytes("1")], 0)],
      ["a foreign progress value", ({ steps }: Queue) => steps.progress("a", "other", bytes("1"))],
    ] as const) {
      test(`P17: ${what} proves nothing`, async () => {
        const queue = await queueHolding("a");
        const before = await queue.job("a");

        await queue.send(notProve(queue), START + 2_000);

        expect(await queue.job("a")).toEqual(before);
      });
    }

    test("P13: proof does not outlive the ttl", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("a", 1, { policy: { ...DEFAULT_POLICY, ttl: 30_000 } }));
      await queue.send(queue.steps.take(WORKER));
      await queue.send(queue.steps.seen(WORKER, ["a"]));

      expect((await queue.job("a")).dueAt).toBe(START + 30_000);
    });

    test("P17: a later proof does not lengthen the execution timeout", async () => {
      const queue = await queueHolding("a");
      await queue.send(queue.steps.seen(WORKER, ["a"]), START + 2_000);
      await queue.send(queue.steps.seen(WORKER, ["a"]), START + 9_000);

      expect((await queue.job("a")).dueAt).toBe(PROVED_DUE);
    });

    test("decision 0033: a ping gives a worker without a lease one, also for a proved job", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("a", 1));
      await queue.send(queue.steps.take(WORKER, { deliveryLease: undefined }));
      await queue.send(queue.steps.append("a", WORKER, [bytes("1")]));
      await queue.send(queue.steps.seen(WORKER, ["a"], 0, { pings: false }));
      expect(await queue.job("a")).toMatchObject({ proved: true, isSilent: true });
      await queue.send(queue.steps.seen(WORKER, ["a"], 0, { call: "ping" }));
      expect(await queue.job("a")).toMatchObject({ proved: true, isSilent: false });
    });

    test("R11: each call that should show a job and does not denies it, and answers it", async () => {
      const queue = await queueHolding("a", "b");
      const deny = queue.steps.seen(WORKER, ["b"], START);

      const first = await queue.send(deny);
      const second = await queue.send(deny);

      expect(first.denied).toMatchObject([{ id: "a", denials: 1, attempt: 1, worker: WORKER }]);
      expect(second.denied).toEqual([await queue.job("a")]);
      expect(await queue.job("a")).toMatchObject({ denials: 2, state: "IN_PROGRESS" });
      expect(await queue.job("b")).toMatchObject({ denials: 0, proved: true });
    });

    test("R11: a worker that shows no job at all denies each it should have", async () => {
      const queue = await queueHolding("a", "b");

      const { denied } = await queue.send(queue.steps.seen(WORKER, { kind: "none" }, START));

      expect(denied.map((job) => job.id).toSorted()).toEqual(["a", "b"]);
    });

    test("R11: a job handed out after the call set out cannot be denied by it", async () => {
      const queue = await queueHolding("a");

      const { denied } = await queue.send(queue.steps.seen(WORKER, { kind: "none" }, START - 1));

      expect(denied).toEqual([]);
      expect((await queue.job("a")).denials).toBe(0);
    });

    test("R11: a call that shows nothing, or is another worker's, denies nothing", async () => {
      const queue = await queueHolding("a");

      const nothing = await queue.send(queue.steps.seen(WORKER, { kind: "nothing" }, START));
      const foreign = await queue.send(queue.steps.seen("other", { kind: "none" }, START));

      expect([...nothing.denied, ...foreign.denied]).toEqual([]);
      expect((await queue.job("a")).denials).toBe(0);
    });

    test("R11: a call denies no job of another worker that the same commit has changed", async () => {
      const queue = await queueHolding("a");
      const { steps } = queue;

      const answers = await queue.sendAll([
        steps.progress("a", WORKER, bytes("1")),
        steps.seen("other", { kind: "none" }, START),
      ]);

      expect(answers).toEqual([{ accepted: true }, { denied: [] }]);
    });

    test("R11: a job that is shown again is forgiven its denials", async () => {
      const queue = await queueHolding("a");
      await queue.send(queue.steps.seen(WORKER, { kind: "none" }, START));
      await queue.send(queue.steps.seen(WORKER, ["a"], START));

      expect(await queue.job("a")).toMatchObject({ denials: 0, proved: true });
      const { denied } = await queue.send(queue.steps.seen(WORKER, { kind: "none" }, START));
      expect(denied).toMatchObject([{ denials: 1 }]);
    });

    for (const [how, show] of [
      ["a chunk", ({ steps }: Queue) => steps.append("a", WORKER, [bytes("1")])],
      ["a progress value", ({ steps }: Queue) => steps.progress("a", WORKER, bytes("1"))],
      ["a call that shows all", ({ steps }: Queue) => steps.seen(WORKER, { kind: "all" })],
    ] as const) {
      test(`R11: ${how} ends a series of denials`, async () => {
        const queue = await queueHolding("a");
        const deny = queue.steps.seen(WORKER, { kind: "none" }, START);
        await queue.sendAll([queue.steps.seen(WORKER, ["a"]), deny, show(queue)]);

        expect(await queue.job("a")).toMatchObject({ proved: true, denials: 0 });
      });
    }

    test("R11: denial after proof leaves the proof", async () => {
      const queue = await queueHolding("a");
      await queue.send(queue.steps.seen(WORKER, ["a"]));
      await queue.send(queue.steps.seen(WORKER, { kind: "none" }, START));

      expect(await queue.job("a")).toMatchObject({ proved: true, denials: 1, dueAt: PROVED_DUE });
    });

    /** An endpoint whose jobs the worker has just been handed. */
    async function queueHolding(...ids: string[]): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(ids.map((id, index) => queue.steps.enqueue(id, index)));
      await queue.send(queue.steps.take(WORKER, { count: ids.length }));
      return queue;
    }
  });
}
