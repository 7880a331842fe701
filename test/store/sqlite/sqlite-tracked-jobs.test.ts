import { heapStats } from "bun:jsc";
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { queueOn, START } from "../../contract/queue.ts";
import { rejection } from "../../support/rejection.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe("the jobs of a commit", () => {
  test("invariant 2: a running job that is not what it was is not written, and read again", async () => {
    await using directory = await temporaryDirectory();
    const store = await open(directory.path);
    const queue = await queueOn(store);
    const { steps } = queue;
    await queue.sendAll([steps.enqueue("a", 1), steps.take("w")]);
    const finish = steps.finish("complete", "a", { worker: "w", attempt: 1 });
    change(directory.path, "UPDATE job SET attempt = 2");

    expect(await rejection(queue.send(finish))).toContain("job a is not IN_PROGRESS in attempt 1 any more");
    expect(await queue.job("a")).toMatchObject({ state: "IN_PROGRESS", attempt: 2 });

    expect(await queue.send(finish)).toEqual({ accepted: false });
    expect(await queue.send({ ...finish, attempt: 2 })).toEqual({ accepted: true });
    await store.close();
  });

  test("P7: takes of one commit get each job once, in order, and barred ones only if they may", async () => {
    await using directory = await temporaryDirectory();
    const store = await open(directory.path);
    const queue = await queueOn(store);
    const { steps } = queue;
    const ids = Array.from({ length: 40 }, (_, n) => `job-${n}`);
    await queue.sendAll(ids.slice(0, 30).map((id, n) => steps.enqueue(id, n)));
    await queue.send(steps.take("w", { count: 10 }));
    await queue.sendAll(ids.slice(0, 10).map((id) => steps.giveBack(id, 1, { barUntil: 1e15 })));

    const hauls = await Promise.all([
      queue.sendAll(ids.slice(30).map((id, n) => steps.enqueue(id, 30 + n))),
      queue.send(steps.take("w", { count: 15 })),
      queue.send(steps.take("w", { count: 10 })),
      queue.send(steps.take("other", { count: 3 })),
      queue.send(steps.take("w", { count: 100 })),
      queue.send(steps.take("other", { count: 100 })),
    ]);

    const taken = hauls.slice(1).map((haul) => haul.map((job) => ("id" in job ? job.id : "")));
    expect(taken).toEqual([
      ids.slice(10, 25),
      ids.slice(25, 35),
      ids.slice(0, 3),
      ids.slice(35),
      ids.slice(3, 10),
    ]);
    expect(await store.counts(queue.endpoint)).toMatchObject({ queued: 0, running: 40 });
    await store.close();
  });

  test("P7: jobs from before a start are handed out before those of this commit", async () => {
    await using directory = await temporaryDirectory();
    const before = await open(directory.path);
    const { endpoint, steps, sendAll } = await queueOn(before);
    await sendAll([steps.enqueue("b", 2), steps.enqueue("a", 1)]);
    await before.close();

    const store = await open(directory.path);
    const hauls = await Promise.all([
      store.apply([steps.enqueue("c", 3), steps.take("w")], START),
      store.apply([steps.take("w")], START),
    ]);
    const [last] = await store.apply([steps.take("w", { count: 5 })], START);

    expect([hauls[0][1], hauls[1][0], last].map((jobs) => jobs.map(({ id }) => id))).toEqual([
      ["a"],
      ["b"],
      ["c"],
    ]);
    expect(await store.counts(endpoint)).toMatchObject({ queued: 0, running: 3 });
    await store.close();
  });

  test("P7: a queue that is longer than what is kept of it is handed out in order", async () => {
    await using directory = await temporaryDirectory();
    const store = await open(directory.path);
    const { steps, send, sendAll } = await queueOn(store);
    const waiting = Array.from({ length: 1_500 }, (_, position) => position);
    const running: { readonly id: string; readonly attempt: number }[] = [];
    await sendAll(waiting.map((position) => steps.enqueue(String(position), position)));

    for (let round = 0; waiting.length > 0; round++) {
      const position = 1_500 + round;
      const count = 1 + (round % 90);
      waiting.push(position);
      const [, jobs] = await sendAll([steps.enqueue(String(position), position), steps.take("w", { count })]);
      expect(jobs.map(({ id }) => Number(id))).toEqual(waiting.splice(0, count));
      running.push(...jobs);
      // Jobs that come back stand in front, and some of these are purged.
      const returned = running.splice(round % 7, round % 3);
      for (const { id, attempt } of returned) await send(steps.giveBack(id, attempt, { barUntil: 0 }));
      waiting.push(...returned.map(({ id }) => Number(id)));
      waiting.sort((one, other) => one - other);
      if (round % 5 !== 0 || returned.length === 0) continue;
      const [first = 0] = waiting;
      expect(await send(steps.purge(first))).toEqual({ ids: [String(first)] });
      waiting.shift();
    }
    await store.close();
  });

  test("an endpoint is forgotten with its last job, so those that are removed leave nothing", async () => {
    await using directory = await temporaryDirectory();
    const store = await open(directory.path);
    const before = mapsInMemory();
    const endpoints = Array.from({ length: 300 }, async () => {
      const { steps, send, sendAll } = await queueOn(store);
      await sendAll([steps.enqueue("a", 1), steps.take("w")]);
      await send(steps.finish("complete", "a", { worker: "w", attempt: 1 }));
    });
    await Promise.all(endpoints);

    expect(mapsInMemory() - before).toBeLessThan(100);
    await store.close();
  });
});

/** How many maps there are: each endpoint in memory has one of its jobs. */
function mapsInMemory(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts["Map"] ?? 0;
}

function open(directory: string) {
  return openSqliteStore({
    directory,
    onFatal: (error) => {
      throw error;
    },
  });
}

/** Changes the database behind the back of the server. */
function change(directory: string, statement: string): void {
  const database = new Database(join(directory, "forebay.db"));
  database.run(statement);
  database.close();
}
