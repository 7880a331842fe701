import { describe, expect, test } from "bun:test";
import { jobId } from "../../src/domain/ids.ts";
import { placeOf } from "../../src/domain/job-places.ts";
import type { Job } from "../../src/domain/job.ts";
import { JOB_STATES, type JobState } from "../../src/domain/transitions.ts";
import { stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** The list of all jobs in the order of their ids, the ended ones included. */
export function submittedContract(open: OpenStore): void {
  describe("submitted", () => {
    const store = sharedStore(open);

    test("jobs of both kinds and in every state, the newest id first", async () => {
      const queue = await queueOn(store());
      const ids = await jobsIn(queue, JOB_STATES);

      const { jobs, next } = await queue.store.submitted(queue.endpoint, undefined, undefined, 100, 100);
      expect(jobs.map(({ id, state }) => [id, state])).toEqual(
        ids.map((id, index) => [id, JOB_STATES[index] ?? ""]).toReversed(),
      );
      expect(jobs.at(-1)).toEqual(await plainJob(queue, ids[0] ?? ""));
      expect(next).toBeUndefined();
    });

    test.each(JOB_STATES)("only those that are %s, where that is asked for", async (state) => {
      const queue = await queueOn(store());
      const ids = await jobsIn(queue, [...JOB_STATES, ...JOB_STATES]);
      const index = JOB_STATES.indexOf(state);

      const { jobs, next } = await queue.store.submitted(queue.endpoint, state, undefined, 100, 100);
      expect(jobs.map((job) => job.id)).toEqual([ids[index + JOB_STATES.length], ids[index]].map(String));
      expect(next).toBeUndefined();
    });

    test.each([undefined, "COMPLETED"] as const)("page follows page: %p", async (state) => {
      const queue = await queueOn(store());
      const ids = await jobsIn(
        queue,
        Array.from({ length: 7 }, () => "COMPLETED" as const),
      );

      expect(await pages(queue, state, 3, 100)).toEqual([ids.slice(4), ids.slice(1, 4), ids.slice(0, 1)]);
      expect(await pages(queue, state, 7, 100)).toEqual([ids]);
    });

    test("no more are read than asked for: a page can be empty, and the next one continues", async () => {
      const queue = await queueOn(store());
      const others = Array.from({ length: 5 }, () => "COMPLETED" as const);
      const ids = await jobsIn(queue, ["FAILED", "IN_QUEUE", "FAILED", ...others]);
      const [first = "", , second = ""] = ids;

      expect(await pages(queue, "FAILED", 10, 3)).toEqual([[], [second], [first]]);
      expect(await pages(queue, "FAILED", 1, 8)).toEqual([[second], [first]]);
      expect(await pages(queue, "FAILED", 2, 8)).toEqual([[first, second], []]);
    });

    test("a job that goes back to the queue keeps its place", async () => {
      const queue = await queueOn(store());
      const ids = await jobsIn(queue, ["FAILED", "COMPLETED"]);
      await queue.send(queue.steps.retry(ids[0] ?? "", 1_000_000));

      expect(await pages(queue, undefined, 10, 100)).toEqual([ids]);
    });

    test("T1: a list keeps to its endpoint", async () => {
      const mine = await queueOn(store());
      const other = await queueOn(store());
      const ids = await jobsIn(mine, ["COMPLETED", "IN_QUEUE"]);
      await jobsIn(other, ["COMPLETED", "IN_QUEUE"]);

      expect(await pages(mine, undefined, 10, 100)).toEqual([ids]);
      expect(await pages(mine, "COMPLETED", 10, 100)).toEqual([ids.slice(0, 1)]);
    });
  });
}

/** Jobs in these states, submitted in this order, every other one by runsync; their ids. */
async function jobsIn(queue: Queue, states: readonly JobState[]): Promise<string[]> {
  const ids = states.map((_, index) => {
    const random = crypto.getRandomValues(new Uint8Array(8));
    return jobId(index % 2 === 0 ? "run" : "runsync", START * 1_024 + index, random);
  });
  // Those that wait come last, because a take would hand them out.
  const order = [...states.keys()].sort(
    (a, b) => Number(states[a] === "IN_QUEUE") - Number(states[b] === "IN_QUEUE"),
  );
  for (const index of order) {
    const [state = "IN_QUEUE", id = ""] = [states[index], ids[index]];
    await queue.sendAll(
      state === "IN_QUEUE" ? [queue.steps.enqueue(id, 1)] : stepsInto(state, queue.steps, id),
    );
  }
  return ids;
}

/** The ids of each page, all in the order of time, until there is no next one. */
async function pages(
  queue: Queue,
  state: JobState | undefined,
  limit: number,
  looked: number,
): Promise<string[][]> {
  const found: string[][] = [];
  let before: string | undefined;
  do {
    const { jobs, next } = await queue.store.submitted(queue.endpoint, state, before, limit, looked);
    found.push(jobs.map((job) => job.id).toReversed());
    if (next !== undefined && before !== undefined) expect(next < before).toBe(true);
    expect(next === undefined || next === placeOf(next)).toBe(true);
    before = next;
  } while (before !== undefined);
  return found;
}

async function plainJob(queue: Queue, id: string): Promise<Job> {
  const { output: _output, error: _error, progress: _progress, ...job } = await queue.job(id);
  return job;
}
