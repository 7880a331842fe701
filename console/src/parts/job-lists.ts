import { api } from "../api.ts";
import type { FoundJob } from "../answers.ts";

/** The rows of a list that were read, in its order, and where the next page begins. */
interface KeptList {
  readonly jobs: readonly FoundJob[];
  readonly cursor: string | undefined;
  /** How many of them the reader saw in the list; the others were read for neighbours. */
  readonly shown: number;
}

/** The last lists that were shown, by their queries, the newest last. */
const lists = new Map<string, KeptList>();

const MOST_LISTS = 5;

/** How far a job is looked for whose list is not kept, such as after a reload of the page. */
const PAGE = 1_000;
const PAGES = 20;

/** Keeps a list, so that a job can be left for the one before and after it. */
export function keepList(query: string, jobs: readonly FoundJob[], cursor: string | undefined): void {
  keep(query, { jobs, cursor, shown: jobs.length });
}

function keep(query: string, list: KeptList): void {
  lists.delete(query);
  lists.set(query, list);
  for (const oldest of lists.keys()) {
    if (lists.size <= MOST_LISTS) break;
    lists.delete(oldest);
  }
}

/** How many rows of this list were shown when it was left. */
export function keptCount(query: string): number {
  return lists.get(query)?.shown ?? 0;
}

/** The jobs above and below a job in a list; both are undefined if the list does not have it. */
export interface Neighbours {
  readonly above: FoundJob | undefined;
  readonly below: FoundJob | undefined;
}

/** Finds the rows beside a job in the list as it was shown; else as it is now. Throws ApiError. */
export async function neighboursOf(query: string, job: string, signal: AbortSignal): Promise<Neighbours> {
  let list = lists.get(query) ?? NOTHING;
  const at = placeIn(list, job);
  // Above the first row there may be new ones.
  if (at === 0) list = await withRowsAbove(list, query, job, signal);
  if (at === -1) list = { ...(await readUntil(query, job, signal)), shown: list.shown };
  if (placeIn(list, job) === -1) return { above: undefined, below: undefined };
  // A page can be empty although another one follows.
  while (list.cursor !== undefined && list.jobs.at(-1)?.id === job) {
    const { jobs, nextCursor } = await pageOf(query, list.cursor, signal);
    list = { ...list, jobs: [...list.jobs, ...jobs], cursor: nextCursor };
  }
  keep(query, list);
  const place = placeIn(list, job);
  return { above: list.jobs[place - 1], below: list.jobs[place + 1] };
}

const NOTHING: KeptList = { jobs: [], cursor: undefined, shown: 0 };

function placeIn({ jobs }: KeptList, job: string): number {
  return jobs.findIndex(({ id }) => id === job);
}

/** One page is enough: if so many jobs came since, the job is not beside the newest ones. */
async function withRowsAbove(
  list: KeptList,
  query: string,
  job: string,
  signal: AbortSignal,
): Promise<KeptList> {
  const { jobs } = await pageOf(query, undefined, signal);
  const known = new Set(list.jobs.map(({ id }) => id));
  const above = jobs.slice(
    0,
    Math.max(
      0,
      jobs.findIndex(({ id }) => id === job),
    ),
  );
  return { ...list, jobs: [...above.filter(({ id }) => !known.has(id)), ...list.jobs] };
}

async function readUntil(query: string, job: string, signal: AbortSignal): Promise<KeptList> {
  const jobs: FoundJob[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const read = await pageOf(query, cursor, signal);
    jobs.push(...read.jobs);
    cursor = read.nextCursor;
    if (cursor === undefined || read.jobs.some(({ id }) => id === job)) break;
  }
  return { jobs, cursor, shown: 0 };
}

function pageOf(query: string, cursor: string | undefined, signal: AbortSignal) {
  return api.findJobs(query, { limit: PAGE, cursor }, signal);
}
