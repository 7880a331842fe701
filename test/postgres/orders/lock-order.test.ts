import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Step } from "../../../src/store/steps.ts";
import { type Queue, queueOn, START } from "../../contract/queue.ts";
import { suiteDatabases } from "../../support/suite-postgres.ts";
import { lockBoth } from "./locked-rows.ts";
import { openTwoStores, type TwoStores } from "./two-stores.ts";

/** Transactions of two servers about the same rows lock them in one order, so none is repeated. */
describe("rows that two servers lock", () => {
  const postgres = suiteDatabases();
  let stores: TwoStores;
  let queue: Queue;

  beforeEach(async () => {
    stores = await openTwoStores(await postgres().lendDatabase());
    queue = await queueOn(stores.one.store);
  });
  afterEach(async () => {
    await stores[Symbol.asyncDispose]();
  });

  /**
   * Both begin while both rows are locked. The second row is released before the first: whoever has begun
   * with it holds it, and waits for the first row.
   */
  async function bothBehind(
    rows: readonly [string, string],
    first: readonly Step[],
    second: readonly Step[],
  ): Promise<{ transactions: number }> {
    const { one, other, admin } = stores;
    const begunBefore = one.begun() + other.begun();
    const locked = await lockBoth(admin, rows);
    const answers = [one.store.apply(first, START)];
    await locked.first.waitedForBy(1);
    answers.push(other.store.apply(second, START));
    await locked.first.waitedForBy(2);
    await locked.releaseLast();
    await locked.first.release();
    await Promise.all(answers);
    return { transactions: one.begun() + other.begun() - begunBefore };
  }

  const row = (table: string, column: string, name: string) =>
    `SELECT FROM forebay.${table} WHERE ${column} = '${name}' FOR UPDATE`;
  const JOBS = [row("job", "id", "a"), row("job", "id", "b")] as const;

  test("steps that name two jobs in opposite orders", async () => {
    const { steps } = queue;
    await queue.sendAll([steps.enqueue("a", 1), steps.enqueue("b", 2)]);
    const first = [steps.setTtl("b", START + 1_000), steps.setTtl("a", START + 1_000)];
    const second = [steps.setTtl("a", START + 2_000), steps.setTtl("b", START + 2_000)];
    expect(await bothBehind(JOBS, first, second)).toEqual({ transactions: 2 });
    expect((await queue.job("a")).expiresAt).toBe(START + 2_000);
    expect((await queue.job("b")).expiresAt).toBe(START + 2_000);
  });

  test("results of cached jobs, and steps that read the same jobs in the opposite order", async () => {
    const { steps } = queue;
    const enqueues = ["a", "b"].map((id, index) => steps.enqueue(id, index + 1));
    await queue.sendAll([...enqueues, steps.take("worker", { count: 2 })]);
    const first = ["b", "a"].map((id) => steps.finish("complete", id, { worker: "worker", attempt: 1 }));
    const second = ["a", "b"].map((id) => steps.setTtl(id, START + 2_000));
    // The results are first, and their server repeats nothing.
    expect(await bothBehind(JOBS, first, second)).toEqual({ transactions: 2 });
    expect((await queue.job("a")).state).toBe("COMPLETED");
    expect((await queue.job("b")).state).toBe("COMPLETED");
  });

  test("heartbeats of two workers in opposite orders", async () => {
    const { steps } = queue;
    const nothing = { kind: "nothing" } as const;
    const seen = (worker: string) => steps.seen(worker, nothing);
    await queue.sendAll([seen("a"), seen("b")]);
    const contacts = [row("contact", "worker", "a"), row("contact", "worker", "b")] as const;
    const counted = await bothBehind(contacts, [seen("b"), seen("a")], [seen("a"), seen("b")]);
    expect(counted).toEqual({ transactions: 2 });
  });

  test("submissions under a cap to two endpoints in opposite orders", async () => {
    const beside = await queueOn(stores.one.store);
    const cap = { jobs: 10, bytes: undefined };
    const enqueue = ({ steps }: Queue, id: string) => steps.enqueue(id, 1, { cap });
    const [before = "", after = ""] = [queue.endpoint, beside.endpoint].toSorted();
    const queues = [row("queue", "endpoint", before), row("queue", "endpoint", after)] as const;
    const first = [enqueue(beside, "a"), enqueue(queue, "a")];
    const second = [enqueue(queue, "b"), enqueue(beside, "b")];
    expect(await bothBehind(queues, first, second)).toEqual({ transactions: 2 });
  });

  test("purges, and steps that name the same jobs", async () => {
    const { steps } = queue;
    await queue.sendAll([steps.enqueue("b", 1), steps.enqueue("a", 2)]);
    const ttls = [steps.setTtl("a", START + 1_000), steps.setTtl("b", START + 1_000)];
    expect(await bothBehind(JOBS, [steps.purge()], ttls)).toEqual({ transactions: 2 });
    expect(await queue.store.counts(queue.endpoint)).toMatchObject({ queued: 0 });
  });
});
