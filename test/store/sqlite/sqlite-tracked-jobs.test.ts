import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { queueOn } from "../../contract/queue.ts";
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
});

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
