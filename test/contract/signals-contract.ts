import { describe, expect, test } from "bun:test";
import type { Step } from "../../src/store/steps.ts";
import type { Signal } from "../../src/store/signals.ts";
import type { Store } from "../../src/store/store.ts";
import { bytes } from "../model/bytes.ts";
import type { Steps } from "../model/steps.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { answered } from "./answered.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";

const JOB = "job";

interface Case {
  readonly event: Signal["event"];
  readonly state: "IN_QUEUE" | "IN_PROGRESS" | "FAILED" | undefined;
  readonly step: (steps: Steps) => Step;
  readonly worker: string | undefined;
  readonly lasted?: number;
  readonly isLoss?: boolean;
  readonly added?: Signal["added"];
}

/** How long after all that came before the step happens, ms. */
const LASTED = 40;

const CASES: readonly Case[] = [
  { event: "enqueue", state: undefined, step: (steps) => steps.enqueue(JOB, 1), worker: undefined },
  { event: "take", state: "IN_QUEUE", step: (steps) => steps.take(OWNER), worker: OWNER, lasted: LASTED },
  {
    event: "complete",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("complete", JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  {
    // Of the attempt before, which was given back; the holder of the job is told to stop.
    event: "completeLate",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("complete", JOB, { worker: OTHER, attempt: undefined, mayBeLate: true }),
    worker: OWNER,
    lasted: LASTED,
  },
  {
    event: "fail",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("fail", JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  {
    event: "giveUp",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("giveUp", JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  {
    event: "cutOff",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("cutOff", JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  {
    event: "timeOut",
    state: "IN_PROGRESS",
    step: (steps) => steps.finish("timeOut", JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  { event: "timeOut", state: "IN_QUEUE", step: (steps) => steps.finish("timeOut", JOB), worker: undefined },
  {
    event: "cancel",
    state: "IN_PROGRESS",
    step: (steps) => steps.cancel(JOB),
    worker: OWNER,
    lasted: LASTED,
  },
  { event: "cancel", state: "IN_QUEUE", step: (steps) => steps.cancel(JOB), worker: undefined },
  {
    event: "giveBack",
    state: "IN_PROGRESS",
    step: (steps) => steps.giveBack(JOB, 2),
    worker: OWNER,
    isLoss: false,
  },
  { event: "retry", state: "FAILED", step: (steps) => steps.retry(JOB, 2), worker: undefined },
  { event: "purge", state: "IN_QUEUE", step: (steps) => steps.purge(), worker: undefined },
  {
    event: "append",
    state: "IN_PROGRESS",
    step: (steps) => steps.append(JOB, OWNER, [bytes("1")]),
    worker: OWNER,
    added: { attempt: ATTEMPT, first: 0, chunks: [bytes("1")] },
  },
];

/** Signals: what was committed, told to whoever waits for it. */
export function signalsContract(open: OpenStore): void {
  describe("signals", () => {
    const opened = freshStore(open);

    for (const { event, state, step, worker, lasted, isLoss, added } of CASES) {
      test(`R28: ${event} of a job that is ${state ?? "absent"} is told`, async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        if (state !== undefined) await queue.sendAll(stepsInto(state, queue.steps, JOB));
        const heard = listenTo(store);

        await queue.send(step(queue.steps), START + LASTED);

        const { endpoint } = queue;
        expect(await heard((signal) => signal.event === event)).toEqual([
          { event, endpoint, id: JOB, worker, lasted, isLoss, added },
        ]);
      });
    }

    test("R15: chunks are notified with their numbers, and in order if they share a commit", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      const heard = listenTo(store);
      const append = (...texts: string[]) => queue.steps.append(JOB, OWNER, texts.map(bytes));

      await queue.sendAll([append("1", "2"), append("3")]);
      await queue.send(append("4"));

      const told = await heard(({ added }) => added?.first === 3);
      const chunksOf = told.map(({ added }) => [added?.first, added?.chunks]);
      expect(chunksOf).toEqual([
        [0, [bytes("1"), bytes("2")]],
        [2, [bytes("3")]],
        [3, [bytes("4")]],
      ]);
    });

    test("4a: records that are put and removed are notified", async () => {
      const { store } = opened();
      const heard = listenTo(store);
      await store.apply([{ step: "put", record: endpointRecord("e") }], START);
      const template = { ...endpointRecord("t"), kind: "template" } as const;
      await store.apply([{ step: "put", record: template }], START);
      await store.apply([{ step: "remove", kind: "template", id: "t" }], START);
      await store.apply([{ step: "remove", kind: "endpoint", id: "e" }], START);

      const signals = await heard(({ event, id }) => event === "remove" && id === "e");
      expect(signals).toMatchObject([
        { event: "put", endpoint: "e", id: "e" },
        { event: "put", endpoint: "", id: "t" },
        { event: "remove", endpoint: "", id: "t" },
        { event: "remove", endpoint: "e", id: "e" },
      ]);
    });

    test("R8: a signal comes when its change can be read", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const steps: Record<string, Step> = {
        enqueue: queue.steps.enqueue(JOB, 1),
        take: queue.steps.take(OWNER),
        cancel: queue.steps.cancel(JOB),
      };
      const states: (string | undefined)[] = [];
      for (const [event, step] of Object.entries(steps)) {
        const { promise: read, resolve } = Promise.withResolvers<string | undefined>();
        store.onSignals((signals) => {
          const isTold = signals.some((signal) => signal.event === event && signal.id === JOB);
          if (isTold) resolve(store.job(queue.endpoint, JOB).then((job) => job?.state));
        });
        await queue.send(step);
        states.push(await read);
      }

      expect(states).toEqual(["IN_QUEUE", "IN_PROGRESS", "CANCELLED"]);
    });

    test("P4: what was refused or has failed sends no signal", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      const { steps } = queue;
      await queue.sendAll(stepsInto("COMPLETED", steps, JOB));
      const heard = listenTo(store);

      await Promise.all([
        queue.send(steps.finish("complete", JOB, { worker: OWNER })),
        queue.send(steps.cancel(JOB)),
        queue.send(steps.retry(JOB, 5)),
        queue.send(steps.giveBack(JOB, 2)),
        queue.send(steps.append(JOB, OWNER, [bytes("1")])),
        queue.send(steps.purge()),
        answered(queue.sendAll([steps.enqueue("undone", 2), steps.enqueue(JOB, 3)])),
      ]);
      await queue.send(steps.enqueue("marker", 4));

      expect(await heard((signal) => signal.id === "marker")).toMatchObject([{ id: "marker" }]);
    });
  });
}

/** Collects signals; the answer waits for the first one that `isLast` knows, and gives all up to it. */
function listenTo(store: Store): (isLast: (signal: Signal) => boolean) => Promise<Signal[]> {
  const heard: Signal[] = [];
  let arrived = Promise.withResolvers<void>();
  store.onSignals((signals) => {
    heard.push(...signals);
    arrived.resolve();
    arrived = Promise.withResolvers();
  });
  return async (isLast) => {
    while (!heard.some(isLast)) await arrived.promise;
    return heard.slice(0, heard.findIndex(isLast) + 1);
  };
}
