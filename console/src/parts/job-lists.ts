import { api } from "../api.ts";
import type { FoundJob } from "../answers.ts";

/** The rows of a list that were read, in its order, and where the next page begins. */
interface KeptList {
  readonly jobs: readonly FoundJob[];
  readonly cursor: string | undefined;
}

/** The last lists that were shown, by their queries, the newest last. */
const lists = new Map<string, KeptList>();

const MOST_LISTS = 5;

/** How far a job is looked for whose list is not kept, such as after a reload of the page. */
const PAGE = 1_000;
const PAGES = 20;

/** Keeps a list, so that a job can be left for the one before and after it. */
export function keepList(query: string, jobs: readonly FoundJob[], cursor: string | undefined): void {
  lists.delete(query);
  lists.set(query, { jobs, cursor });
  for (const oldest of lists.keys()) {
    if (lists.size <= MOST_LISTS) break;
    lists.delete(oldest);
  }
}

/** How many rows of this list were shown when it was left. */
export function keptCount(query: string): number {
  return lists.get(query)?.jobs.length ?? 0;
}

/** The jobs above and below a job in a list; both are undefined if the list does not have it. */
export interface Neighbours {
  readonly above: FoundJob | undefined;
  readonly below: FoundJob | undefined;
}

/** Finds the rows beside a job in the list as it was shown; else as it is now. Throws ApiError. */
export async function neighboursOf(query: string, job: string, signal: AbortSignal): Promise<Neighbours> {
  const known = lists.get(query);
  let at = placeIn(known, job);
  // Above the first row there may be new ones.
  if (at <= 0) {
    const read = await readUntil(query, job, signal);
    if (placeIn(read, job) !== -1) keepList(query, read.jobs, read.cursor);
    at = placeIn(read, job);
  }
  let list = lists.get(query);
  if (at === -1) return { above: undefined, below: undefined };
  // A page can be empty although another one follows.
  while (list?.cursor !== undefined && list.jobs.length === at + 1) {
    const { jobs, nextCursor } = await pageOf(query, list.cursor, signal);
    keepList(query, [...list.jobs, ...jobs], nextCursor);
    list = lists.get(query);
  }
  return { above: list?.jobs[at - 1], below: list?.jobs[at + 1] };
}

function placeIn(list: KeptList | undefined, job: string): number {
  return list?.jobs.findIndex(({ id }) => id === job) ?? -1;
}

async function readUntil(query: string, job: string, signal: AbortSignal): Promise<KeptList> {
  let list: KeptList = { jobs: [], cursor: undefined };
  for (let page = 0; page < PAGES; page++) {
    const { jobs, nextCursor } = await pageOf(query, list.cursor, signal);
    list = { jobs: [...list.jobs, ...jobs], cursor: nextCursor };
    if (nextCursor === undefined || placeIn(list, job) !== -1) break;
  }
  return list;
}

function pageOf(query: string, cursor: string | undefined, signal: AbortSignal) {
  return api.findJobs(query, { limit: PAGE, cursor }, signal);
}
