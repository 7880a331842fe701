import { describe, expect, test } from "bun:test";
import { JOB_STATES, isTerminal } from "../../src/domain/transitions.ts";
import { stepsOf } from "../model/steps.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { stepsInto } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { put, remove } from "./put-record.ts";
import { queueOn, START } from "./queue.ts";

/** Endpoints as records: jobs need them, and none goes while a job of it is there. */
export function endpointRecordsContract(open: OpenStore): void {
  describe("endpoints", () => {
    const opened = freshStore(open);

    test("4a: no job is accepted for an endpoint that is not there", async () => {
      const { store } = opened();
      const steps = stepsOf("nowhere");

      const [enqueued, taken] = await store.apply([steps.enqueue("a", 1), steps.take("worker")], START);

      expect(enqueued).toEqual({ accepted: false });
      expect(taken).toEqual([]);
      expect(await store.job("nowhere", "a")).toBeUndefined();
    });

    for (const state of JOB_STATES) {
      const verdict = isTerminal(state) ? "can" : "cannot";

      test(`4a: an endpoint with a job that is ${state} ${verdict} be removed`, async () => {
        const { store } = opened();
        const queue = await queueOn(store);
        await queue.sendAll(stepsInto(state, queue.steps, "a"));

        const outcome = await remove(store, "endpoint", queue.endpoint);

        expect(outcome).toBe(isTerminal(state) ? "removed" : "inUse");
        const after = await queue.send(queue.steps.enqueue("b", 2));
        expect(after).toEqual({ accepted: !isTerminal(state) });
      });
    }

    test("4a: a job of an endpoint that is gone cannot be retried", async () => {
      const { store } = opened();
      const queue = await queueOn(store);
      await queue.sendAll(stepsInto("FAILED", queue.steps, "a"));
      await remove(store, "endpoint", queue.endpoint);

      expect(await queue.send(queue.steps.retry("a", 2))).toEqual({ job: undefined, accepted: false });
      await put(store, endpointRecord(queue.endpoint));

      expect(await queue.send(queue.steps.take("worker"))).toEqual([]);
      expect(await store.counts(queue.endpoint)).toMatchObject({ queued: 0, running: 0 });
    });

    test("4a: of a removal and submissions in flight, no job is left without its endpoint", async () => {
      const { store } = opened();
      const queue = await queueOn(store);

      const [enqueued, outcome] = await Promise.all([
        queue.send(queue.steps.enqueue("a", 1)),
        remove(store, "endpoint", queue.endpoint),
      ]);

      expect(outcome).toBe(enqueued.accepted ? "inUse" : "removed");
    });

    test("4a: in one call a submission sees the endpoints made and removed before it", async () => {
      const { store } = opened();
      const steps = stepsOf("e");

      const answers = await store.apply(
        [
          { step: "put", record: endpointRecord("e") },
          steps.enqueue("a", 1),
          { step: "remove", kind: "endpoint", id: "e" },
          steps.purge(),
          { step: "remove", kind: "endpoint", id: "e" },
          steps.enqueue("b", 2),
        ],
        START,
      );

      expect(answers.map((answer) => Object.values(answer)[0])).toEqual([
        "written",
        true,
        "inUse",
        ["a"],
        "removed",
        false,
      ]);
    });
  });
}
