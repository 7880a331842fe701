import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Queue, queueOn, START } from "../contract/queue.ts";
import type { LentDatabase } from "../support/postgres-server.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";

/** The cache can be wrong: another server may have changed the rows. */
describe("a server that caches the rows of jobs that it handed out", () => {
  const postgres = suiteDatabases();
  let database: LentDatabase;
  let here: Queue;
  let elsewhere: Store;

  beforeEach(async () => {
    database = await postgres().lendDatabase();
    here = await queueOn(await openPostgresStore(storeOptions(database.url)));
    elsewhere = await openPostgresStore(storeOptions(database.url));
    for (const [index, id] of ["a", "b", "c"].entries()) await here.send(here.steps.enqueue(id, index + 1));
    expect(await here.send(here.steps.take("worker", { count: 3 }))).toHaveLength(3);
  });
  afterEach(async () => {
    await here.store.close();
    await elsewhere.close();
    await database.giveBack();
  });

  test("P4: a result is refused after a cancel elsewhere, and those that came with it are kept", async () => {
    await elsewhere.apply([here.steps.cancel("b")], START);
    const answers = await Promise.all(["a", "b", "c"].map((id) => here.send(result(id))));
    expect(answers.map(({ accepted }) => accepted)).toEqual([true, false, true]);
    expect((await here.job("b")).state).toBe("CANCELLED");
    expect((await here.job("c")).output).toEqual(output);
    expect(await here.store.counts(here.endpoint)).toMatchObject({ running: 0, completed: 2, ignored: 1 });
  });

  test("a result is refused when its job went out again elsewhere, and that attempt's is kept", async () => {
    await elsewhere.apply([here.steps.giveBack("a", 1, { losses: 1 })], START);
    await elsewhere.apply([here.steps.take("other")], START);
    expect(await here.send(result("a"))).toEqual({ accepted: false });
    const again = here.steps.finish("complete", "a", { worker: "other", attempt: 2, output });
    expect(await elsewhere.apply([again], START)).toEqual([{ accepted: true }]);
  });

  test("a result counts whose attempt another server handed out to the same worker", async () => {
    await elsewhere.apply([here.steps.giveBack("a", 1, { losses: 1 })], START);
    await elsewhere.apply([here.steps.take("worker")], START);
    const second = here.steps.finish("complete", "a", { worker: "worker", attempt: 2, output });
    expect(await here.send(second)).toEqual({ accepted: true });
    expect(await here.job("a")).toMatchObject({ state: "COMPLETED", attempt: 2, output });
  });

  test("a result without an attempt counts, whose job another server handed to another worker", async () => {
    await elsewhere.apply([here.steps.giveBack("a", 1, { losses: 1 })], START);
    await elsewhere.apply([here.steps.take("other")], START);
    const finish = (worker: string) => here.steps.finish("complete", "a", { worker, output });
    expect(await here.send(finish("other"))).toEqual({ accepted: true });
    expect(await here.send(finish("worker"))).toEqual({ accepted: false });
    expect(await here.job("a")).toMatchObject({ state: "COMPLETED", attempt: 2, output });
  });

  test("a result of another worker is refused, also by the cache", async () => {
    const foreign = here.steps.finish("complete", "a", { worker: "other", attempt: 1, output });
    expect(await here.send(foreign)).toEqual({ accepted: false });
    expect(await here.send(result("a"))).toEqual({ accepted: true });
    expect(await here.store.counts(here.endpoint)).toMatchObject({ completed: 1, ignored: 1 });
  });

  test("a result comes to a job with the chunks that another server stored", async () => {
    const chunks = [new TextEncoder().encode("1")];
    await elsewhere.apply([here.steps.append("a", "worker", chunks, 1)], START);
    expect(await here.send(result("a"))).toEqual({ accepted: true });
    expect(await here.chunks("a")).toHaveLength(1);
  });

  test("a result counts once, however often it comes", async () => {
    const answers = await Promise.all([here.send(result("a")), here.send(result("a"))]);
    expect(answers.map(({ accepted }) => accepted)).toEqual([true, false]);
    expect(await here.send(result("a"))).toEqual({ accepted: false });
    expect(await here.store.counts(here.endpoint)).toMatchObject({ completed: 1, ignored: 2 });
  });

  test("a take gets what is stored in the same transaction, whichever was asked for first", async () => {
    const [taken] = await Promise.all([
      here.send(here.steps.take("worker")),
      here.send(here.steps.enqueue("d", 4)),
    ]);
    expect(taken.map(({ id }) => id)).toEqual(["d"]);
    expect(await here.job("d")).toMatchObject({ state: "IN_PROGRESS", attempt: 1 });
    expect(await here.store.counts(here.endpoint)).toMatchObject({ queued: 0, running: 4 });
  });

  const output = new TextEncoder().encode('"done"');
  const result = (id: string) => here.steps.finish("complete", id, { worker: "worker", attempt: 1, output });
});
