import { submittedAt } from "../../domain/job-places.ts";
import type { Job } from "../../domain/job.ts";
import { isUnfinished, type UnfinishedState } from "../../domain/transitions.ts";
import type { StoreAccess } from "../verb-needs.ts";
import { isMeant, type JobFilter } from "../../domain/found-job.ts";

/** A place in the order of jobs that have not ended: by their positions in the queue, then by id. */
export interface UnfinishedPlace {
  readonly position: number;
  readonly id: string;
}

export interface UnfinishedPage {
  /** Those that were queued last come first. */
  readonly jobs: readonly Job[];
  /** The next page begins below this place; undefined if there is none. */
  readonly next: UnfinishedPlace | undefined;
}

/** So many jobs are looked through for a page, or hardly more: a page can be short. */
const LOOKED = 4_000;

/** Jobs of several servers can have one position: so many more are read of each queue. */
const SAME_POSITION = 16;

/** Below every id. */
const FLOOR_ID = "~";

/**
 * Jobs of the filter that wait or run, below `before`. Each queue is looked through down to a floor, and the
 * page ends at the highest one: above it all jobs are known.
 */
export async function unfinishedJobs(
  engine: StoreAccess,
  filter: JobFilter,
  before: UnfinishedPlace | undefined,
  limit: number,
): Promise<UnfinishedPage> {
  const queues = await queuesOf(engine, filter);
  const each = Math.ceil(LOOKED / Math.max(1, queues.length)) + SAME_POSITION;
  const top = before === undefined ? Number.MAX_SAFE_INTEGER : before.position + 1;
  const read: Job[][] = [];
  // In this order: a job that is handed out meanwhile is in both.
  for (const state of ["IN_QUEUE", "IN_PROGRESS"] as const) {
    const ofState = queues.filter((queue) => queue.state === state);
    const slices = inSlices(ofState, ({ endpoint }) => engine.store.unfinished(endpoint, state, top, each));
    for await (const slice of slices) read.push(...slice);
  }
  const floors = read.flatMap((jobs) => (jobs.length < each ? [] : (jobs.at(-1)?.position ?? [])));
  const floor = floors.length === 0 ? undefined : Math.max(...floors);
  const now = engine.clock.now();
  const found = eachOnce(read.flat())
    .filter(isLive)
    .filter((job) => floor === undefined || job.position > floor)
    .filter((job) => before === undefined || compare(job, before) > 0)
    .filter((job) => isMeant(job, filter, { submittedAt: submittedAt(job.id), now }))
    .toSorted(compare);
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  if (found.length > limit && last !== undefined) return { jobs, next: placeOf(last) };
  return { jobs, next: floor === undefined ? undefined : { position: floor, id: FLOOR_ID } };
}

interface QueuePart {
  readonly endpoint: string;
  readonly state: UnfinishedState;
}

/** Of a job that was read twice the newer attempt: it was handed out between the two reads. */
function eachOnce(jobs: readonly Job[]): Job[] {
  const byName = new Map<string, Job>();
  for (const job of jobs) {
    const name = `${job.endpoint}/${job.id}`;
    const known = byName.get(name);
    if (known === undefined || job.attempt >= known.attempt) byName.set(name, job);
  }
  return [...byName.values()];
}

/** The states of endpoints in which there are jobs. */
async function queuesOf({ store }: StoreAccess, { endpoints, states }: JobFilter): Promise<QueuePart[]> {
  const counts = await store.allCounts();
  return endpoints.flatMap((endpoint) => {
    const { queued = 0, running = 0 } = counts.get(endpoint) ?? {};
    const parts = [
      { endpoint, state: "IN_QUEUE", count: queued },
      { endpoint, state: "IN_PROGRESS", count: running },
    ] as const;
    return parts.filter(({ state, count }) => count > 0 && states?.includes(state) !== false);
  });
}

/** So many reads at once: others need the connections of the database, too. */
const AT_ONCE = 32;

/** Reads something for each of them, in their order; who has enough stops. */
export async function* inSlices<Item, Answer>(
  items: readonly Item[],
  read: (item: Item) => Promise<Answer>,
): AsyncGenerator<Answer[], void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    yield await Promise.all(items.slice(at, at + AT_ONCE).map(read));
  }
}

function isLive(job: Job): job is Job & { readonly state: UnfinishedState } {
  return isUnfinished(job.state);
}

/** The one that was queued later comes first. */
function compare(one: UnfinishedPlace, other: UnfinishedPlace): number {
  if (one.position !== other.position) return other.position - one.position;
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0;
}

function placeOf({ position, id }: Job): UnfinishedPlace {
  return { position, id };
}
