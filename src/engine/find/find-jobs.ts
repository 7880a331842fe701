import type { EndedState, HistoryPlace } from "../../domain/history.ts";
import { isUnfinished, type JobState } from "../../domain/transitions.ts";
import type { StoreAccess } from "../verb-needs.ts";
import { type FoundJob, foundLive, foundPast, type JobFilter } from "../../domain/found-job.ts";
import { unfinishedJobs, type UnfinishedPlace } from "./unfinished-jobs.ts";

/** Where a page begins: below a job that has not ended, or below one that has; undefined: at the first. */
export type FindPlace =
  | { readonly among: "unfinished"; readonly before: UnfinishedPlace | undefined }
  | { readonly among: "finished"; readonly before: HistoryPlace | undefined };

export interface FoundPage {
  readonly jobs: readonly FoundJob[];
  /** Where the next page begins; undefined if this is the last one. */
  readonly next: FindPlace | undefined;
}

export const FIRST_PLACE: FindPlace = { among: "unfinished", before: undefined };

/** One call looks at so many records of the history at once, and so often. */
const SLICE = 2_000;
const SLICES = 25;

/**
 * Jobs of the filter, page by page: those that wait or run first, the newest in the queue first, then those
 * that have ended, by their end, the newest first. A short or empty page does not mean that nothing follows:
 * a call looks at 50,000 jobs or hardly more. A job that ended within the last seconds may not be in the
 * history yet.
 */
export async function findJobs(
  engine: StoreAccess,
  filter: JobFilter,
  from: FindPlace,
  limit: number,
): Promise<FoundPage> {
  const jobs: FoundJob[] = [];
  let next: FindPlace | undefined = from;
  for (let slice = 0; slice < SLICES && next !== undefined && jobs.length < limit; slice++) {
    // Lets other calls run.
    if (slice > 0) await new Promise(setImmediate);
    const left = limit - jobs.length;
    const page: FoundPage =
      next.among === "unfinished"
        ? await unfinished(engine, filter, next.before, left)
        : await finished(engine, filter, next.before, left);
    jobs.push(...page.jobs);
    next = page.next;
  }
  return { jobs, next };
}

async function unfinished(
  engine: StoreAccess,
  filter: JobFilter,
  before: UnfinishedPlace | undefined,
  limit: number,
): Promise<FoundPage> {
  const { states, error } = filter;
  const rest: FindPlace | undefined =
    states?.every(isUnfinished) === true ? undefined : { among: "finished", before: undefined };
  // Only a job that has ended has an error.
  if (states?.some(isUnfinished) === false || error !== undefined) return { jobs: [], next: rest };
  const { jobs, next } = await unfinishedJobs(engine, filter, before, limit);
  const found = jobs.map((job) => foundLive(job, undefined));
  return { jobs: found, next: next === undefined ? rest : { among: "unfinished", before: next } };
}

async function finished(
  { store }: StoreAccess,
  filter: JobFilter,
  before: HistoryPlace | undefined,
  limit: number,
): Promise<FoundPage> {
  const states = filter.states?.filter(isEnded);
  const { records, next } = await store.history({ ...filter, states }, before, limit, SLICE);
  const found = records.map(foundPast);
  return { jobs: found, next: next === undefined ? undefined : { among: "finished", before: next } };
}

function isEnded(state: JobState): state is EndedState {
  return !isUnfinished(state);
}
