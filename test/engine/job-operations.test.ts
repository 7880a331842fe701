import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { FoundJob, JobFilter } from "../../src/domain/found-job.ts";
import type { JobAction } from "../../src/domain/job-operation.ts";
import { FIRST_PLACE, findJobs } from "../../src/engine/find/find-jobs.ts";
import { recordEnded } from "../../src/engine/history.ts";
import { beginOperation } from "../../src/engine/job-operations/begin-operation.ts";
import {
  jobOperation,
  jobOperations,
  stopJobOperation,
} from "../../src/engine/job-operations/known-operations.ts";
import { runJobOperations } from "../../src/engine/job-operations/run-operations.ts";
import { ForebayError } from "../../src/domain/errors.ts";
import { retry } from "../../src/engine/retry.ts";
import { report } from "../../src/engine/report.ts";
import { policyIn } from "../../src/http/queue/submission-members.ts";
import { TestEngine } from "../support/test-engine.ts";

const HOUR = 3_600_000;
const ACCESS = { account: DEFAULT_ACCOUNT.id, scopes: ["write"] } as const;

describe("operations on many jobs", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
  });
  afterEach(() => t.stop());

  const filterOf = (conditions: Partial<JobFilter>): JobFilter => ({
    endpoints: [t.endpoint],
    states: undefined,
    from: undefined,
    to: undefined,
    worker: undefined,
    version: undefined,
    error: undefined,
    idPrefix: undefined,
    tag: undefined,
    minMs: undefined,
    ...conditions,
  });
  const begin = (action: JobAction, conditions: Partial<JobFilter> = { states: ["FAILED"] }) =>
    beginOperation(t.engine, ACCESS.account, action, {
      endpoints: [t.endpoint],
      filter: filterOf(conditions),
    });
  async function run() {
    // An operation begins in the millisecond after its call.
    await t.clock.advance(1);
    await runJobOperations(t.engine, policyIn);
  }
  const read = (id: string) => jobOperation(t.engine, ACCESS, id);
  async function finish(id: string) {
    while (read(id).state === "RUNNING") await run();
    return read(id);
  }

  async function failed(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      ids.push(await t.submit({ tags: ["t"] }, JSON.stringify({ n })));
      await t.take(t.worker("a"));
      const error = new TextEncoder().encode('"no"');
      const job = ids.at(-1) ?? "";
      await report(t.engine, { worker: t.worker("a"), job, attempt: undefined, output: undefined, error });
    }
    await recordEnded(t.engine);
    return ids;
  }

  async function waiting(): Promise<readonly FoundJob[]> {
    return (await findJobs(t.engine, filterOf({ states: ["IN_QUEUE"] }), FIRST_PLACE, 1_000)).jobs;
  }

  /** The n-th put of an operation from now on does not happen, as after a kill. */
  function killAtPut(n: number): () => void {
    const { store } = t.engine;
    const apply = store.apply.bind(store);
    let puts = 0;
    store.apply = ((steps: Parameters<typeof apply>[0], now: number) => {
      const isPut = steps.some((step) => step.step === "put" && step.record.kind === "jobOperation");
      if (isPut && ++puts === n) return Promise.reject(new Error("killed"));
      return apply(steps, now);
    }) as typeof store.apply;
    return () => {
      store.apply = apply;
    };
  }

  test.each(["retry", "resubmit", "cancel"] as const)(
    "%s: a server that is killed before it stores its progress does nothing twice",
    async (action) => {
      for (const n of [1, 2, 3]) {
        const count = 5;
        if (action === "cancel") for (let job = 0; job < count; job++) await t.submit();
        else await failed(count);
        const before = await waiting();
        const states = action === "cancel" ? (["IN_QUEUE"] as const) : (["FAILED"] as const);
        const { id } = await begin(action, { states, from: t.clock.now() - 5 });
        const restart = killAtPut(n);
        await run().catch(() => undefined);
        restart();
        expect(await finish(id)).toMatchObject({ state: "COMPLETED", done: count, failed: 0, skipped: 0 });
        const added = action === "cancel" ? -count : count;
        expect(await waiting()).toHaveLength(before.length + added);
        for (const { endpoint, id: job } of await waiting()) {
          await t.engine.store.apply([{ step: "cancel", endpoint, id: job, retention: 1 }], t.clock.now());
        }
        await t.clock.advance(10);
      }
    },
  );

  test("two servers that run an operation at the same time count and do everything once", async () => {
    await failed(30);
    const { id } = await begin("resubmit");
    while (read(id).state === "RUNNING") await Promise.all([run(), run()]);
    expect(read(id)).toMatchObject({ state: "COMPLETED", done: 30, failed: 0, skipped: 0 });
    expect(await waiting()).toHaveLength(30);
  });

  test("it acts on a job of the same millisecond as its call, and on none that it makes", async () => {
    await failed(1);
    const called = t.clock.now();
    const begun = await begin("resubmit", { tag: "t" });
    expect([begun.createdAt, begun.matches]).toEqual([called + 1, 1]);
    await runJobOperations(t.engine, policyIn);
    expect([read(begun.id).done, (await waiting()).length]).toEqual([0, 0]);
    expect(await finish(begun.id)).toMatchObject({ state: "COMPLETED", matches: 1, done: 1 });
    expect(await waiting()).toHaveLength(1);
  });

  test("calls at the same time begin at most three operations of an account", async () => {
    const calls = await Promise.allSettled(Array.from({ length: 10 }, () => begin("cancel")));
    const codes = calls.flatMap((call) => (call.status === "rejected" ? [call.reason.code] : []));
    expect(codes).toEqual(Array.from({ length: 7 }, () => "TOO_MANY_OPERATIONS"));
    for (const { id } of jobOperations(t.engine, ACCESS)) await finish(id);
    expect((await begin("cancel")).state).toBe("RUNNING");
  });

  test("one that cannot go on keeps no other from its turn; a lasting fault ends it as FAILED", async () => {
    await failed(1);
    const { store } = t.engine;
    const history = store.history.bind(store);
    const faults = [new ForebayError("STORAGE_UNAVAILABLE", "not now"), new Error("a fault")];
    const broken = await begin("resubmit", { tag: "t" });
    const fine = await begin("resubmit", { states: ["FAILED"] });
    store.history = async (filter, ...others) => {
      const fault = filter.tag === undefined ? undefined : faults.shift();
      if (fault !== undefined) throw fault;
      return history(filter, ...others);
    };
    await expect(run()).rejects.toThrow("not now");
    expect([read(broken.id).state, read(fine.id).state]).toEqual(["RUNNING", "COMPLETED"]);
    await run();
    expect(read(broken.id)).toMatchObject({
      state: "FAILED",
      reason: expect.stringContaining("its log names"),
    });
    const errors = t.log.entries.splice(0).filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ fields: { operation: broken.id, error: "Error: a fault" } }]);
  });

  test("a job that another call has put into the queue again does not count as retried", async () => {
    const [id = ""] = await failed(1);
    const byFilter = await begin("retry", { tag: "t" });
    await t.clock.advance(5);
    await retry(t.engine, t.endpoint, id);
    expect(await finish(byFilter.id)).toMatchObject({ matches: 1, done: 0, skipped: 1 });
  });

  test("jobs that came to the history after the call count, and progress ends at 100 %", async () => {
    await failed(2);
    const { store } = t.engine;
    const history = store.history.bind(store);
    store.history = async () => ({ records: [], next: undefined });
    const { id, matches } = await begin("resubmit");
    store.history = history;
    expect(matches).toBe(0);
    expect(await finish(id)).toMatchObject({ state: "COMPLETED", matches: 2, done: 2 });
  });

  test("what an operation has done before it is stopped counts, and no more is done", async () => {
    await failed(6);
    const { id } = await begin("resubmit");
    // The first step finds the jobs, and the second one acts on them: it is stopped in between.
    const running = run();
    const stopped = await stopJobOperation(t.engine, ACCESS, id);
    await running;
    await run();
    const made = await waiting();
    expect([stopped.state, read(id).state]).toEqual(["CANCELLED", "CANCELLED"]);
    expect(read(id).done).toBe(made.length);
    expect(made.length).toBeLessThanOrEqual(4);
  });

  test("a job whose input is damaged fails alone, and is named", async () => {
    const [first = ""] = await failed(2);
    const { store } = t.engine;
    const body = store.body.bind(store);
    store.body = async (endpoint, id) =>
      id === first ? { file: "", size: 1, damage: "its row" } : body(endpoint, id);
    const { id } = await begin("resubmit");
    const operation = await finish(id);
    expect(operation).toMatchObject({ state: "COMPLETED", done: 1, failed: 1 });
    expect(operation.errors).toEqual([
      { endpoint: t.endpoint, id: first, code: "PAYLOAD_DAMAGED", message: expect.any(String) },
    ]);
  });

  test("a job of an older version with half of a character is not submitted once more", async () => {
    const id = await t.submit({ tags: ["t"] }, '"\\ud83d"');
    const operation = await finish((await begin("resubmit", { tag: "t" })).id);
    expect(operation).toMatchObject({ state: "COMPLETED", done: 0, failed: 1 });
    expect(operation.errors).toMatchObject([{ id, code: "INVALID_FIELD" }]);
  });

  test("an operation that has not ended after 23 hours fails, and says why", async () => {
    await failed(1);
    const { id } = await begin("resubmit");
    t.engine.clock.now = () => read(id).createdAt + 23 * HOUR;
    expect(await finish(id)).toMatchObject({ state: "FAILED", done: 0, left: [] });
    expect(read(id).reason).toStartWith("It had not ended after 23 hours.");
  });

  test("ended operations are kept for a day, the newest 20 of an account", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 22; n++) {
      const { id } = await begin("cancel");
      await finish(id);
      ids.push(id);
      await t.clock.advance(1);
    }
    await run();
    expect(jobOperations(t.engine, ACCESS).map(({ id }) => id)).toEqual(ids.slice(2).toReversed());
    await t.clock.advance(25 * HOUR);
    await run();
    expect(jobOperations(t.engine, ACCESS)).toEqual([]);
    expect(() => read(ids[21] ?? "")).toThrow("There is no job operation");
  });

  test("more than 100,000 jobs are refused", async () => {
    const { store } = t.engine;
    const [job] = (await failed(1)) && (await findJobs(t.engine, filterOf({}), FIRST_PLACE, 1)).jobs;
    const record = job && (await store.pastJob(job.endpoint, job.id));
    if (record === undefined) throw new Error("there is a record");
    store.history = async (_filter, before, limit) => ({
      records: Array.from({ length: limit }, () => record),
      next: (before?.endedAt ?? 0) > 100 ? undefined : { endedAt: (before?.endedAt ?? 0) + 1, id: "" },
    });
    await expect(begin("resubmit")).rejects.toThrow("More than 100000 jobs match. Narrow the filter");
  });
});
