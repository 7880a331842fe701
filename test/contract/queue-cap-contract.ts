import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import type { QueueCap } from "../../src/domain/queue-cap.ts";
import { bytes } from "../model/bytes.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const jobs = (count: number): QueueCap => ({ jobs: count, bytes: undefined });
const size = (count: number): QueueCap => ({ jobs: undefined, bytes: count });
const TEN = bytes("0123456789");

/** What may wait on an endpoint, as the step that adds to it says. */
export function queueCapContract(open: OpenStore): void {
  describe("the cap of a queue", () => {
    const store = sharedStore(open);

    test("T6: of submissions in flight exactly as many are accepted as the cap allows", async () => {
      const queue = await queueOn(store());

      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          queue.send(queue.steps.enqueue(`job-${index}`, index, { cap: jobs(7) })),
        ),
      );

      const refused = answers.filter(({ accepted }) => !accepted);
      expect(refused).toEqual(Array.from({ length: 43 }, () => ({ accepted: false, over: "jobs" })));
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 7 });
      expect(await store().unfinished(queue.endpoint, "IN_QUEUE", Infinity, 100)).toHaveLength(7);
    });

    test("a job that is over a limit of the engine is not stored; its key is looked at first", async () => {
      const queue = await queueOn(store());
      const idempotency = { key: "k", digest: bytes("d"), until: START + 60_000 };
      await queue.send(queue.steps.enqueue("a", 1, { idempotency }));

      const refused = await queue.send(queue.steps.enqueue("b", 2, { over: "account" }));
      const again = await queue.send(queue.steps.enqueue("c", 3, { idempotency, over: "ceiling" }));

      expect(refused).toEqual({ accepted: false, over: "account" });
      expect(again).toMatchObject({ accepted: false, earlier: { id: "a" } });
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 1 });
    });

    test("T6: so it is with steps of one call, and with bytes, to the byte", async () => {
      const queue = await queueOn(store());
      const cap = size(35);
      const secret = bytes("01234");

      const answers = await queue.sendAll([
        queue.steps.enqueue("a", 1, { body: TEN, secret, cap }),
        queue.steps.enqueue("b", 2, { body: TEN, cap }),
        queue.steps.enqueue("c", 3, { body: TEN, secret: bytes("x"), cap }),
        queue.steps.enqueue("d", 4, { body: TEN, cap }),
        queue.steps.enqueue("e", 5, { body: bytes("1"), cap }),
      ]);

      expect(answers.map(({ accepted, over }) => (accepted ? "accepted" : over))).toEqual([
        "accepted",
        "accepted",
        "bytes",
        "accepted",
        "bytes",
      ]);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 3, queuedBytes: 35 });
    });

    test("T6: a stored payload counts with its size", async () => {
      const queue = await queueOn(store());
      const body = await store().writePayload(new Uint8Array(100_000).fill(32));

      const first = await queue.send(queue.steps.enqueue("a", 1, { body, cap: size(100_000) }));
      const second = await queue.send(queue.steps.enqueue("b", 2, { cap: size(100_000) }));

      expect([first.accepted, second.over]).toEqual([true, "bytes"]);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queuedBytes: 100_000 });
    });

    /** What leaves the queue makes room for what comes. */
    const leaving: Record<string, (queue: Queue) => Promise<unknown>> = {
      "a take": ({ send, steps }) => send(steps.take("worker")),
      "a cancel": ({ send, steps }) => send(steps.cancel("a")),
      "a purge": ({ send, steps }) => send(steps.purge()),
      "the end of its ttl": ({ send, steps }) =>
        send(steps.finish("timeOut", "a"), START + DEFAULT_POLICY.ttl),
    };

    for (const [reason, leave] of Object.entries(leaving)) {
      test(`T6: ${reason} makes room again`, async () => {
        const queue = await queueOn(store());
        const cap = { jobs: 1, bytes: TEN.length };
        await queue.send(queue.steps.enqueue("a", 1, { body: TEN, cap }));
        expect((await queue.send(queue.steps.enqueue("b", 2, { body: TEN, cap }))).accepted).toBe(false);
        await leave(queue);
        expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 0, queuedBytes: 0 });

        expect((await queue.send(queue.steps.enqueue("b", 2, { body: TEN, cap }))).accepted).toBe(true);
      });
    }

    test("T6: a retry over the cap changes nothing, and one within it counts", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([
        queue.steps.enqueue("a", 1, { body: TEN }),
        queue.steps.take("worker"),
        queue.steps.finish("fail", "a", { worker: "worker", error: bytes('"boom"') }),
        queue.steps.enqueue("b", 2, { body: TEN }),
      ]);
      const before = await queue.job("a");

      const byJobs = await queue.send({ ...queue.steps.retry("a", 9), cap: jobs(1) });
      const bySize = await queue.send({ ...queue.steps.retry("a", 9), cap: size(19) });

      expect([byJobs, bySize]).toMatchObject([
        { accepted: false, over: "jobs", job: { state: "FAILED" } },
        { accepted: false, over: "bytes", job: { state: "FAILED" } },
      ]);
      expect(await queue.job("a")).toEqual(before);
      const within = await queue.send({ ...queue.steps.retry("a", 9), cap: { jobs: 2, bytes: 20 } });
      expect(within.accepted).toBe(true);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 2, queuedBytes: 20 });
    });

    test("P7: a job that was lost comes back whatever waits, and counts", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([
        queue.steps.enqueue("a", 1, { body: TEN, cap: jobs(1) }),
        queue.steps.take("worker"),
        queue.steps.enqueue("b", 2, { body: TEN, cap: jobs(1) }),
      ]);

      const answer = await queue.send(queue.steps.giveBack("a", 1, { losses: 1 }));

      expect(answer.accepted).toBe(true);
      expect(await store().counts(queue.endpoint)).toMatchObject({ queued: 2, queuedBytes: 20 });
      const next = await queue.send(queue.steps.enqueue("c", 3, { cap: jobs(2) }));
      expect(next).toEqual({ accepted: false, over: "jobs" });
    });

    test("design row 22: a submission sent again is answered, even if the queue is full by now", async () => {
      const queue = await queueOn(store());
      const idempotency = { key: "key", digest: bytes("digest"), until: START + 1_000 };
      const cap = jobs(1);
      await queue.send(queue.steps.enqueue("a", 1, { idempotency, cap }));

      const answer = await queue.send(queue.steps.enqueue("b", 2, { idempotency, cap }));

      expect(answer).toMatchObject({ accepted: false, earlier: { id: "a" } });
    });
  });
}
