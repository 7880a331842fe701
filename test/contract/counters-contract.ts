import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Job } from "../../src/domain/job.ts";
import type { Step } from "../../src/store/steps.ts";
import type { Counts, Store } from "../../src/store/store.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { EMPTY_BODY } from "../model/steps.ts";
import { sizeOf } from "../../src/domain/payload.ts";
import { answered } from "./answered.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";
import { property } from "./property.ts";
import { isLowPriority, JOB_IDS, randomCommand, stepOfCommand } from "./random-command.ts";

const NONE: Counts = {
  queued: 0,
  queuedLowPriority: 0,
  queuedBytes: 0,
  running: 0,
  completed: 0,
  failed: 0,
  retried: 0,
  ignored: 0,
};

/** Each round is what is in flight at the same time. */
const ROUNDS = fc.array(fc.array(randomCommand, { maxLength: 12 }), { maxLength: 20 });

/** The counters of an endpoint: what is waiting and running now, and what has happened since it was made. */
export function countersContract(open: OpenStore): void {
  describe("counts", () => {
    const store = sharedStore(open);

    test("design row 12: there are none without an endpoint, and all are 0 on a new one", async () => {
      const { endpoint } = await queueOn(store());

      expect(await store().counts("no-such-endpoint")).toBeUndefined();
      expect(await store().counts(endpoint)).toEqual(NONE);
    });

    test("design row 12: a change of an endpoint leaves its counters alone", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("a", 1));
      await queue.send({ step: "put", record: endpointRecord(queue.endpoint, 2) });

      expect(await store().counts(queue.endpoint)).toEqual({
        ...NONE,
        queued: 1,
        queuedBytes: sizeOf(EMPTY_BODY),
      });
    });

    test("design row 12: an endpoint that was removed and made anew begins at 0", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([
        queue.steps.enqueue("a", 1),
        queue.steps.take("worker"),
        queue.steps.finish("complete", "a"),
      ]);
      const remove = { step: "remove", kind: "endpoint", id: queue.endpoint } as const;
      await queue.send(remove);
      expect(await store().counts(queue.endpoint)).toBeUndefined();
      await queue.send({ step: "put", record: endpointRecord(queue.endpoint) });

      expect(await store().counts(queue.endpoint)).toEqual(NONE);
    });

    test("design row 12: so does one that was removed and made anew in one call", async () => {
      const queue = await queueOn(store());
      await queue.send(queue.steps.enqueue("a", 1));

      await queue.sendAll([
        queue.steps.take("worker"),
        queue.steps.finish("complete", "a"),
        { step: "remove", kind: "endpoint", id: queue.endpoint },
        { step: "put", record: endpointRecord(queue.endpoint) },
      ]);

      expect(await store().counts(queue.endpoint)).toEqual(NONE);
    });

    test("4a: of calls in flight some are refused and some fail, and a recount agrees", async () => {
      await property(ROUNDS, 60, async (rounds) => {
        const queue = await queueOn(store());
        const tally = { ...NONE };
        const losses = new Map<string, number>();
        let now = START;
        let position = 0;
        for (const commands of rounds) {
          now += commands[0]?.wait ?? 0;
          const before = await jobsOf(store(), queue.endpoint);
          const sent = commands.map((command) =>
            stepOfCommand(command, queue.steps, (id) => before.get(id), ++position, now),
          );

          const answers = await Promise.all(sent.map((step) => answered(queue.send(step, now))));

          sent.forEach((step, index) => countEvent(tally, step, answers[index], losses));
          const expected = { ...tally, ...(await recount(store(), queue.endpoint)) };
          expect(await store().counts(queue.endpoint)).toEqual(expected);
        }
      });
    }, 60_000);
  });
}

async function jobsOf(store: Store, endpoint: string): Promise<Map<string, Job>> {
  const jobs = new Map<string, Job>();
  for (const id of JOB_IDS) {
    const job = await store.job(endpoint, id);
    if (job !== undefined) jobs.set(id, job);
  }
  return jobs;
}

/** What is waiting and running. */
async function recount(
  store: Store,
  endpoint: string,
): Promise<Omit<Counts, "completed" | "failed" | "retried" | "ignored">> {
  const all = [...(await jobsOf(store, endpoint)).values()];
  const queued = all.filter((job) => job.state === "IN_QUEUE");
  const bodies = await Promise.all(queued.map((job) => store.body(endpoint, job.id)));
  return {
    queued: queued.length,
    queuedLowPriority: queued.filter((job) => isLowPriority(job.id)).length,
    queuedBytes: bodies.reduce((sum, body) => sum + sizeOf(body ?? new Uint8Array()), 0),
    running: all.filter((job) => job.state === "IN_PROGRESS").length,
  };
}

/** Adds what the answer to a step says has happened. `losses` are those of each job when it was sent. */
function countEvent(
  tally: { -readonly [Field in keyof Counts]: number },
  step: Step,
  answer: unknown,
  losses: Map<string, number>,
): void {
  const isAccepted = says(answer, "accepted");
  if (step.step === "finish") {
    if (!isAccepted) tally.ignored += step.worker === undefined ? 0 : 1;
    else if (step.event === "complete") tally.completed++;
    else tally.failed++;
  }
  if ((step.step === "append" || step.step === "progress") && !isAccepted) {
    // A report that would go over the limit of its attempt is not ignored: it ends the job.
    if (says(answer, "isOver")) tally.failed++;
    else tally.ignored++;
  }
  if (step.step === "retry" && isAccepted) tally.retried++;
  // An id may be removed and sent anew in one round, or be retried: it begins without losses then.
  if ((step.step === "enqueue" || step.step === "retry") && isAccepted) losses.set(step.id, 0);
  if (step.step === "giveBack" && isAccepted) {
    if (step.losses > (losses.get(step.id) ?? 0)) tally.retried++;
    losses.set(step.id, step.losses);
  }
}

function says(answer: unknown, what: "accepted" | "isOver"): boolean {
  return typeof answer === "object" && answer !== null && Reflect.get(answer, what) === true;
}
