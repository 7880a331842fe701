import type { Job } from "../domain/job.ts";
import { ForebayError } from "../domain/errors.ts";
import { isPlace } from "../domain/job-places.ts";
import { isUnfinished, type JobState } from "../domain/transitions.ts";
import type { Store } from "../store/store.ts";
import type { StoreAccess } from "./verb-needs.ts";

export interface RequestsPage {
  /** The newest first. A short or empty page does not mean that nothing follows. */
  readonly jobs: readonly Job[];
  /** The beginning of the next page; undefined if this is the last one. */
  readonly next: string | undefined;
}

export interface RequestsCall {
  readonly endpoint: string;
  /** Only jobs in this state; undefined: all. */
  readonly state: JobState | undefined;
  /** The `next` of the page before; undefined: the newest job. */
  readonly from: string | undefined;
  readonly limit: number;
}

/**
 * To find jobs in a state, one call reads this many jobs at once, and this often: each job would have to pay
 * for an index by state.
 */
const SLICE = 2_000;
const SLICES = 25;

/**
 * The jobs of an endpoint, page by page, including ended jobs whose record is kept. They are in the order of
 * their submission. A list of only waiting or only running jobs is in the order in which they were last
 * queued. Throws INVALID_QUERY for a `from` of another list.
 */
export async function requests({ store }: StoreAccess, call: RequestsCall): Promise<RequestsPage> {
  const { endpoint, state, from, limit } = call;
  if (!isUnfinished(state)) {
    if (from !== undefined && !isPlace(from)) throw invalidCursor();
    return submitted(store, call);
  }
  // One more than `limit`, to see whether there is another page.
  const found = await store.unfinished(endpoint, state, positionIn(from), limit + 1);
  const jobs = found.slice(0, limit);
  const last = jobs.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { jobs, next: hasMore ? last.position.toString(CURSOR_RADIX) : undefined };
}

async function submitted(
  store: Store,
  { endpoint, state, from, limit }: RequestsCall,
): Promise<RequestsPage> {
  const jobs: Job[] = [];
  let next = from;
  for (let slice = 0; slice < SLICES; slice++) {
    const found = await store.submitted(endpoint, state, next, limit - jobs.length, SLICE);
    jobs.push(...found.jobs);
    next = found.next;
    if (next === undefined || jobs.length === limit) break;
    // Lets other calls run.
    await new Promise(setImmediate);
  }
  return { jobs, next };
}

/** Clients must not treat cursors as numbers. */
const CURSOR_RADIX = 36;

function positionIn(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  const position = /^[0-9a-z]{1,11}$/.test(cursor) ? Number.parseInt(cursor, CURSOR_RADIX) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  throw invalidCursor();
}

function invalidCursor(): ForebayError {
  const sentence = "cursor is invalid; must be a nextCursor of this path with the same status.";
  return new ForebayError("INVALID_QUERY", sentence);
}
