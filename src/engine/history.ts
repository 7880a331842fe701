import type { HistoryLimits } from "../domain/history.ts";
import { isTerminal, TRANSITIONS } from "../domain/transitions.ts";
import type { JobName, KeptInputs } from "../store/history-steps.ts";
import type { Signal } from "../store/signals.ts";
import { paced } from "./paced.ts";
import type { RecordAccess, WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithStop } from "./verb-needs.ts";

/** What the history of finished jobs needs of the server (decision 0040). */
export interface WithHistory {
  readonly historyLimits: HistoryLimits;
  readonly endedJobs: EndedJobs;
}

/** Jobs that this server has ended and that may have no record yet. */
export interface EndedJobs {
  /** Notes the jobs that this server has ended. */
  follow(signals: readonly Signal[], isOwn: boolean): void;
  /** The first of them, at most `count`; they are no longer noted. */
  take(count: number): JobName[];
  /** Notes jobs again whose records could not be written. */
  putBack(jobs: readonly JobName[]): void;
  readonly size: number;
  /** Writes their records at the stop of a server. What is left gets its record when it is forgotten. */
  flush(): Promise<void>;
}

/** More are not noted. Those get their record when they are forgotten. */
const MOST_NOTED = 100_000;

const ENDS: ReadonlySet<string> = new Set(
  Object.entries(TRANSITIONS).flatMap(([event, { to }]) =>
    to !== undefined && isTerminal(to) ? [event] : [],
  ),
);

/** Records that are written together if there are so many: fewer at once cost more each. */
const TOGETHER = 250;

/** How many records the stop of a server still writes. */
const LAST = 1_000;

export function endedJobs(target: Omit<Recording, "endedJobs">): EndedJobs {
  const { age } = target.historyLimits;
  let noted: JobName[] = [];

  const jobs: EndedJobs = {
    get size() {
      return noted.length;
    },

    follow(signals, isOwn) {
      if (!isOwn || age === 0) return;
      for (const { event, endpoint, id } of signals) {
        if (ENDS.has(event) && noted.length < MOST_NOTED) noted.push({ endpoint, id });
      }
    },

    take(count) {
      const taken = noted.slice(0, count);
      noted = noted.slice(count);
      return taken;
    },

    putBack(taken) {
      // Behind the others: those get their records, whatever is wrong with these.
      noted = [...noted, ...taken].slice(0, MOST_NOTED);
    },

    flush: () => recordSome({ ...target, endedJobs: jobs }, LAST),
  };
  return jobs;
}

type Recording = WithHistory & WithConfiguration & StoreAccess;

/** Writes the records of jobs that this server has ended. */
export async function recordEnded(engine: Recording & WithStop): Promise<void> {
  await paced(engine, async (limit) => {
    await recordSome(engine, Math.max(limit, TOGETHER));
    return engine.endedJobs.size > 0;
  });
}

async function recordSome(engine: Recording, count: number): Promise<void> {
  const jobs = engine.endedJobs.take(count);
  if (jobs.length === 0) return;
  const step = { step: "recordEnded", jobs, inputs: keptInputs(engine) } as const;
  try {
    await engine.store.apply([step], engine.clock.now());
  } catch (error) {
    engine.endedJobs.putBack(jobs);
    throw error;
  }
}

/** What is recorded of jobs that are forgotten; undefined: nothing. */
export function keptHistory(engine: WithHistory & WithConfiguration): KeptInputs | undefined {
  return engine.historyLimits.age === 0 ? undefined : keptInputs(engine);
}

function keptInputs({ configuration }: WithConfiguration): KeptInputs {
  const endpoints = configuration.all("endpoint");
  const having = (inputs: string): string[] =>
    endpoints.flatMap(({ id, historyInputs }) => (historyInputs === inputs ? [id] : []));
  return { all: having("all"), none: having("none") };
}

/** Removes the records that are too old or too many, and those of endpoints that are gone. */
export async function trimHistory(engine: WithHistory & RecordAccess & WithStop): Promise<void> {
  const { store, clock, historyLimits } = engine;
  const { age, bytes: maxBytes } = historyLimits;
  await paced(engine, async (limit) => {
    const now = clock.now();
    const before = age === 0 ? Number.POSITIVE_INFINITY : now - age;
    const [answer] = await store.apply([{ step: "trimHistory", before, maxBytes, limit }], now);
    return answer.hasMore === true;
  });
  const endpoints = await store.pastEndpoints();
  // Another server may have created some of them a moment ago.
  await engine.configuration.refresh();
  for (const endpoint of endpoints) {
    if (engine.configuration.get("endpoint", endpoint) === undefined) await clearHistory(engine, endpoint);
  }
}

async function clearHistory(engine: StoreAccess & WithStop, endpoint: string): Promise<void> {
  await paced(engine, async (limit) => {
    const [answer] = await engine.store.apply(
      [{ step: "clearHistory", endpoint, limit }],
      engine.clock.now(),
    );
    return answer.count === limit;
  });
}
