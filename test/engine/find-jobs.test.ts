import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { FIRST_PLACE, type FindPlace, findJobs } from "../../src/engine/find/find-jobs.ts";
import type { JobFilter } from "../../src/domain/found-job.ts";
import {
  unfinishedJobs,
  type UnfinishedPage,
  type UnfinishedPlace,
} from "../../src/engine/find/unfinished-jobs.ts";
import { jobId, positionAt } from "../../src/domain/ids.ts";
import { queueOn, START } from "../contract/queue.ts";
import { stepsOf } from "../model/steps.ts";
import { TestEngine } from "../support/test-engine.ts";

const FINISHED = 100_000;
const TOGETHER = 1_000;

/** Jobs on this many endpoints. */
const ENDPOINTS = 20;

/** What one call may look at: 25 slices of 2,000. */
const LOOKED_LIMIT = 50_000;

const EVERY: JobFilter = {
  endpoints: [],
  states: undefined,
  from: undefined,
  to: undefined,
  worker: undefined,
  version: undefined,
  error: undefined,
  idPrefix: undefined,
  tag: undefined,
  minMs: undefined,
};

describe(`a search among ${FINISHED} finished jobs on ${ENDPOINTS} endpoints`, () => {
  let t: TestEngine;
  let endpoints: string[];
  beforeAll(async () => {
    t = await TestEngine.start();
    endpoints = [];
    for (let n = 0; n < ENDPOINTS; n++) endpoints.push((await queueOn(t.engine.store)).endpoint);
    for (let first = 0; first < FINISHED; first += TOGETHER) await finish(first);
  }, 120_000);
  afterAll(() => t.stop());

  /** Jobs that end one ms after the other; the very first one has the tag `needle`. */
  async function finish(first: number): Promise<void> {
    const numbers = Array.from({ length: TOGETHER }, (_, index) => first + index);
    const jobs = numbers.map((number) => {
      return { endpoint: endpoints[number % ENDPOINTS] ?? "", id: `job-${number}` };
    });
    const { policy } = stepsOf("").enqueue("", 0);
    const enqueues = jobs.map(({ endpoint, id }, index) =>
      stepsOf(endpoint).enqueue(id, first + index, {
        policy: { ...policy, tags: first + index === 0 ? ["needle"] : undefined },
      }),
    );
    const cancels = jobs.map(({ endpoint, id }) => stepsOf(endpoint).cancel(id));
    const inputs = { all: [], none: [] };
    const now = t.clock.now() + first;
    await t.engine.store.apply([...enqueues, ...cancels, { step: "recordEnded", jobs, inputs }], now);
  }

  /** The jobs of one call, and how many records it looked at. */
  async function call(filter: Partial<JobFilter>, from: FindPlace = FIRST_PLACE, limit = 100) {
    const { engine } = t;
    let looked = 0;
    const store = Object.assign(Object.create(engine.store), {
      history(...[given, before, most, slice]: Parameters<typeof engine.store.history>) {
        looked += slice;
        return engine.store.history(given, before, most, slice);
      },
    });
    const page = await findJobs({ ...engine, store }, { ...EVERY, endpoints, ...filter }, from, limit);
    return { ...page, looked };
  }

  test.each([
    ["every job", {}],
    ["only cancelled jobs", { states: ["CANCELLED"] }],
    ["jobs of one endpoint", {}],
  ] as const)("%s: a page looks at one slice of the history", async (what, filter) => {
    const { jobs, looked } = await call({
      ...filter,
      ...(what === "jobs of one endpoint" ? { endpoints: endpoints.slice(0, 1) } : {}),
    });
    expect(jobs).toHaveLength(100);
    expect(looked).toBe(2_000);
  });

  test.each([
    ["a tag of the oldest job", { tag: "needle" }, 1],
    ["a state that no job has", { states: ["FAILED"] }, 0],
    ["an error that no job has", { error: "CUDA" }, 0],
    ["a worker that no job had", { worker: "nobody" }, 0],
    ["a duration that no job had", { minMs: 1 }, 0],
    ["an id", { idPrefix: "job-77777" }, 1],
  ] as const)(
    "%s: each call looks at a bounded number of jobs, and none is left out",
    async (_, filter, count) => {
      let place: FindPlace | undefined = FIRST_PLACE;
      const found: string[] = [];
      let calls = 0;
      while (place !== undefined) {
        const page: Awaited<ReturnType<typeof call>> = await call(filter, place);
        expect(page.looked).toBeLessThanOrEqual(LOOKED_LIMIT);
        found.push(...page.jobs.map(({ id }) => id));
        place = page.next;
        calls++;
      }
      expect(found).toHaveLength(count);
      expect(calls).toBeLessThanOrEqual(4);
    },
  );
});

describe("a search among jobs that wait", () => {
  let t: TestEngine;
  beforeEach(async () => {
    t = await TestEngine.start();
  });
  afterEach(() => t.stop());

  test("a large page over many endpoints looks at few jobs, and leaves none out", async () => {
    const waiting = 300;
    const endpoints: string[] = [];
    for (let n = 0; n < ENDPOINTS; n++) {
      const queue = await queueOn(t.engine.store);
      endpoints.push(queue.endpoint);
      const numbers = Array.from({ length: waiting }, (_, index) => index * ENDPOINTS + n);
      await queue.sendAll(numbers.map((number) => queue.steps.enqueue(idOf(number), number + 1)));
    }
    let read = 0;
    const store = Object.assign(Object.create(t.engine.store), {
      async unfinished(...given: Parameters<typeof t.engine.store.unfinished>) {
        const jobs = await t.engine.store.unfinished(...given);
        read += jobs.length;
        return jobs;
      },
    });
    const found: string[] = [];
    let before: UnfinishedPlace | undefined;
    do {
      read = 0;
      const page: UnfinishedPage = await unfinishedJobs(
        { ...t.engine, store },
        { ...EVERY, endpoints },
        before,
        1_000,
      );
      // 4,000, and 16 more of each endpoint.
      expect(read).toBeLessThanOrEqual(4_320);
      found.push(...page.jobs.map(({ id }) => id));
      before = page.next;
    } while (before !== undefined);
    const numbers = Array.from({ length: waiting * ENDPOINTS }, (_, index) => index);
    expect(found).toEqual(numbers.toReversed().map(idOf));
  });

  test("a job that is handed out meanwhile is on the page once, as one that runs", async () => {
    const running = await t.submit();
    await t.take(t.worker("w"));
    const id = await t.submit();
    const engine = between(t, () => t.take(t.worker("w2")));
    const { jobs } = await unfinishedJobs(engine, { ...EVERY, endpoints: [t.endpoint] }, undefined, 9);

    expect(jobs.map((job) => [job.id, job.state])).toEqual([
      [id, "IN_PROGRESS"],
      [running, "IN_PROGRESS"],
    ]);
  });
});

/** The engine, but what `happens` comes between the reads of the jobs that wait and of those that run. */
function between(t: TestEngine, happens: () => Promise<unknown>): TestEngine["engine"] {
  const { store } = t.engine;
  const changed: Partial<typeof store> = {
    async unfinished(endpoint, state, before, limit) {
      const jobs = await store.unfinished(endpoint, state, before, limit);
      if (state === "IN_QUEUE") await happens();
      return jobs;
    },
  };
  return { ...t.engine, store: Object.assign(Object.create(store), changed) };
}

/** An id from which the time of its submission can be read. */
function idOf(number: number): string {
  return jobId("run", positionAt(START) + number, new Uint8Array(8));
}
