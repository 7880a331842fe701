import { describe, expect, test } from "bun:test";
import { forget } from "../model/forget.ts";
import { rejection } from "../support/rejection.ts";
import { JOB_STATES } from "../../src/domain/transitions.ts";
import type { Store } from "../../src/store/store.ts";
import { bytes } from "../model/bytes.ts";
import { stepsOf } from "../model/steps.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenedStore, type OpenStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

/** What is there when the data is opened again. `whyNot` says why that cannot be asked of a store. */
export function reopeningContract(open: OpenStore, whyNot: string | undefined): void {
  describe("reopening", () => {
    const opened = freshStore(open);

    testUnless(
      whyNot,
      "P1: every job, chunk, counter and record is there again, in the same state",
      async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        const { endpoint, steps } = queue;
        await queue.send(steps.seen(OWNER, { kind: "nothing" }), START + 1);
        for (const [index, state] of JOB_STATES.toReversed().entries()) {
          await queue.sendAll(stepsInto(state, steps, state, index));
        }
        await queue.sendAll([
          steps.append("IN_PROGRESS", OWNER, [bytes("1"), new Uint8Array(3_000)]),
          steps.progress("IN_PROGRESS", OWNER, await store.writePayload(new Uint8Array(100_000))),
        ]);
        await store.apply([{ step: "remove", kind: "endpoint", id: "nothing" }], START + 2_500);
        const before = await answersOf(store, endpoint);

        const again = await reopened(opened());

        expect(await answersOf(again, endpoint)).toEqual(before);
        const [jobs] = await again.apply([steps.take("worker", { count: 9 })], START + 3_000);
        expect(jobs.map((job) => job.id)).toEqual(["IN_QUEUE"]);
      },
    );

    testUnless(
      whyNot,
      "invariant 5: payloads beside the database are there again, byte for byte",
      async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
        const body = await store.writePayload(content);
        await queue.send(queue.steps.enqueue("a", 1, { body }));

        const again = await reopened(opened());
        const [[job]] = await again.apply([queue.steps.take(OWNER)], START);

        expect(job && new Uint8Array(await again.readPayload(job.body))).toEqual(content);
      },
    );

    for (const [what, keep] of [
      ["that no step has named", () => Promise.resolve()],
      [
        "of a job that was forgotten",
        async (store: Store, body: Awaited<ReturnType<Store["writePayload"]>>) => {
          const queue = await queueOn(store);
          await queue.sendAll([queue.steps.enqueue("a", 1, { body }), queue.steps.cancel("a")]);
          await queue.send(forget(10), START * 2);
        },
      ],
    ] as const) {
      testUnless(whyNot, `invariant 5: a payload ${what} is gone`, async () => {
        const { store } = opened();
        const body = await store.writePayload(new Uint8Array(100_000));
        await keep(store, body);

        const again = await reopened(opened());

        expect(await rejection(again.readPayload(body))).not.toContain("fulfilled");
      });
    }

    testUnless(
      whyNot,
      "P1: what was in flight when the store was closed is answered, and is there",
      async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        const inFlight = Array.from({ length: 20 }, (_, n) => queue.send(queue.steps.enqueue(`job-${n}`, n)));

        const again = await reopened(opened());

        await Promise.all(inFlight);
        expect(await again.counts(queue.endpoint)).toMatchObject({ queued: 20 });
      },
    );
  });

  describe("latestTime", () => {
    const opened = freshStore(open);

    test("P14: a store that no step was applied to knows no time", async () => {
      expect(await opened().store.latestTime()).toBe(0);
    });

    test("P14: it is the largest time of any step, whatever the order, to within a second", async () => {
      const { store } = opened();
      for (const ms of [90_000, 0, 90_400, 91_700, 300]) await store.apply([], START + ms);

      const behind = START + 91_700 - (await store.latestTime());
      expect(behind).toBeWithin(0, 1_001);
    });

    test("P14: a call that fails does not keep the times of the others from being known", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.send(queue.steps.enqueue("a", 1));
      await Promise.allSettled([
        queue.send(queue.steps.enqueue("a", 1), START + 90_000),
        queue.send(queue.steps.enqueue("b", 2), START + 90_000),
      ]);

      expect(await store.latestTime()).toBe(START + 90_000);
    });
  });
}

/** Registers a test, or leaves it out and prints why. */
function testUnless(whyNot: string | undefined, name: string, run: () => Promise<void>): void {
  if (whyNot === undefined) test(name, run);
  else test.skip(`${name} (skipped: ${whyNot})`, run);
}

async function reopened({ reopen }: OpenedStore): Promise<Store> {
  if (reopen === undefined) throw new Error("this store cannot be opened again, and gave no reason");
  return reopen();
}

async function answersOf(store: Store, endpoint: string) {
  const perJob = JOB_STATES.map(async (state) => {
    const job = await store.job(endpoint, state);
    const progress = job?.progress && new Uint8Array(await store.readPayload(job.progress));
    const [drained] = await store.apply([stepsOf(endpoint).drain(state, { from: 0 })], START);
    return { job, progress, chunks: drained?.chunks };
  });
  return {
    jobs: await Promise.all(perJob),
    counts: await store.counts(endpoint),
    changes: await store.changesSince(0),
    workers: await store.workers(endpoint, 0),
    held: await store.held(endpoint, OWNER),
    stopping: await store.stopping(endpoint, OWNER),
    due: await store.due(START * 2, 10),
    silent: await store.silent(START * 2, 10),
    latestTime: await store.latestTime(),
  };
}
