import { forget } from "../model/forget.ts";
import { overdue, returned } from "../../src/domain/deadlines.ts";
import type { Job } from "../../src/domain/job.ts";
import type { Step } from "../../src/store/steps.ts";
import { namedPayload, uniquePayload } from "./named-payload.ts";
import type { RecordedStore } from "./recorded-store.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** One thing that a caller does. */
type Turn = (store: RecordedStore, random: SeededRandom, name: string) => Promise<void>;

/** Does its turns, one after the other, for as long as the process lives. */
export async function caller(
  store: RecordedStore,
  turn: Turn,
  random: SeededRandom,
  number: number,
): Promise<void> {
  const name = `worker-${number}`;
  for (;;) await turn(store, random, name);
}

/** Milliseconds of the time that steps are given: short, so that all deadlines pass within a few rounds. */
const LEASE = 400;
const SILENCE = 1_500;
const RETENTION = 1_500;

const client: Turn = async (store, random) => {
  const { steps } = store;
  const roll = random.next();
  if (roll < 0.4) await store.call(...submissions(store, random));
  else if (roll < 0.45) await failingCall(store, random);
  else if (roll < 0.6) await store.call(steps.cancel(store.someJob(random)));
  else if (roll < 0.75) await store.call(steps.retry(store.someJob(random), store.newPosition()));
  else if (roll < 0.85) {
    await store.call(steps.setTtl(store.someJob(random), store.now() + random.integer(1, 4_000)));
  } else if (roll < 0.97) {
    const given = { chunkLimit: random.integer(1, 4), byteLimit: 100_000 };
    await store.call(steps.drain(store.someJob(random), given));
  } else await store.call(steps.purge(store.newPosition(), random.integer(1, 8)));
};

/** Calls that the store must undo wholly: their last step takes an id that the one before has just taken. */
async function failingCall(store: RecordedStore, random: SeededRandom): Promise<void> {
  const [submission] = submissions(store, random);
  if (submission === undefined) return;
  const { steps } = store;
  await store.call(
    steps.cancel(store.someJob(random)),
    steps.retry(store.someJob(random), store.newPosition()),
    submission,
    { ...submission, body: namedPayload(random) },
  );
}

function submissions(store: RecordedStore, random: SeededRandom) {
  return Array.from({ length: random.chance(0.3) ? 2 : 1 }, () =>
    store.steps.enqueue(store.newJob(), store.newPosition(), {
      body: namedPayload(random),
      secret: random.chance(0.2) ? namedPayload(random) : undefined,
      policy: {
        executionTimeout: random.integer(500, 3_000),
        ttl: random.integer(2_000, 6_000),
        lowPriority: random.chance(0.3),
      },
      retention: RETENTION,
    }),
  );
}

const worker: Turn = async (store, random, name) => {
  const { steps } = store;
  const take = steps.take(name, { count: random.integer(1, 3), deliveryLease: LEASE });
  const [, taken = []] = (await store.call(steps.seen(name, { kind: "all" }), take)) ?? [];
  for (const { id, attempt } of taken) {
    for (let turn = random.integer(0, 3); turn > 0; turn--) {
      const roll = random.next();
      if (roll < 0.6) {
        const chunks = Array.from({ length: random.integer(1, 3) }, () => uniquePayload(random));
        await store.call(steps.append(id, name, chunks, attempt));
      } else if (roll < 0.8) await store.call(steps.progress(id, name, namedPayload(random), attempt));
      else if (roll < 0.9) await store.call(steps.seen(name, { kind: "none" }, store.now() - LEASE));
      else await store.call(steps.seen(name, [id], store.now() - LEASE));
    }
    // The late result of an earlier attempt must be ignored.
    if (random.chance(0.1)) await store.call(reportOf(store, random, id, name, attempt - 1));
    const roll = random.next();
    const report = reportOf(store, random, id, name, attempt);
    if (roll < 0.7) await store.call(report);
    // The same report twice at once: one of them must be ignored.
    else if (roll < 0.8) await Promise.all([store.call(report), store.call(report)]);
    else if (roll < 0.9) await store.call(steps.giveBack(id, attempt, { barUntil: store.now() + LEASE }));
    // Else the job is lost: its lease will show it.
  }
};

function reportOf(store: RecordedStore, random: SeededRandom, id: string, worker: string, attempt: number) {
  const isComplete = random.chance(0.7);
  const value = random.chance(0.9) ? uniquePayload(random) : undefined;
  return store.steps.finish(isComplete ? "complete" : "fail", id, {
    worker,
    attempt,
    output: isComplete ? value : undefined,
    error: isComplete ? undefined : value,
  });
}

const backgroundJob: Turn = async (store, random) => {
  for (const job of await store.due(10)) {
    const step = stepOfVerdict(store, random, job, overdue(job, store.now()));
    if (step !== undefined) await store.call(step);
  }
  for (const job of await store.silent(SILENCE, 5)) {
    const step = stepOfVerdict(store, random, job, returned(job, "silent"));
    if (step !== undefined) await store.call(step);
  }
  await store.call(forget());
};

function stepOfVerdict(
  { steps, now }: RecordedStore,
  random: SeededRandom,
  { id, attempt }: Job,
  verdict: ReturnType<typeof overdue>,
): Step | undefined {
  switch (verdict.event) {
    case "timeOut":
    case "giveUp":
      return steps.finish(verdict.event, id, { attempt, error: uniquePayload(random) });
    case "giveBack": {
      const { losses, undelivered } = verdict;
      return steps.giveBack(id, attempt, { losses, undelivered, barUntil: now() + LEASE });
    }
    case "forget":
      return undefined;
  }
}

/** All that happens at the same time. */
export const TURNS: readonly Turn[] = [
  ...Array.from({ length: 4 }, () => client),
  ...Array.from({ length: 5 }, () => worker),
  backgroundJob,
];
