import type { FoundJob, FoundJobs } from "../../answers.ts";

/** A row of the list. `isGone`: the server has nothing of this job any more. */
export type ListedJob = FoundJob & { readonly isGone?: true };

/** The most jobs that one look for news reads. */
export const MOST_NEWS = 50;

/** What is known of a list of jobs. */
export interface FoundList {
  readonly jobs: readonly ListedJob[];
  /** Undefined: nothing was read yet. */
  readonly historyMs: number | undefined;
  /** Where the next page begins; undefined: there is none. */
  readonly cursor: string | undefined;
  /** The lowest row, as it was when it was read: older jobs are on the next page. */
  readonly last: FoundJob | undefined;
  /** Jobs that came since, and that the list does not have; at most `MOST_NEWS`. */
  readonly fresh: ReadonlySet<string>;
  /** When the newest job of the list ended or came, ms since 1970. */
  readonly newest: number | undefined;
  /** How often news were looked for. */
  readonly looks: number;
}

export const NOTHING: FoundList = {
  jobs: [],
  historyMs: undefined,
  cursor: undefined,
  last: undefined,
  fresh: new Set(),
  newest: undefined,
  looks: 0,
};

/** The list with a page below it. A job that ended between two pages is on both. */
export function withPage(list: FoundList, { jobs, historyMs, nextCursor }: FoundJobs): FoundList {
  const known = new Set(list.jobs.map(({ id }) => id));
  const all = [...list.jobs, ...jobs.filter(({ id }) => !known.has(id))];
  const last = jobs.at(-1) ?? list.last;
  return { ...list, jobs: all, historyMs, cursor: nextCursor, last, newest: newestOf(all) };
}

/** The list with what changed of its rows. New jobs are counted, and only an empty list gets them. */
export function withNews(list: FoundList, news: FoundJobs): FoundList {
  if (list.jobs.length === 0 && list.historyMs !== undefined) return withFirstRows(list, news);
  const byId = new Map(news.jobs.map((job) => [job.id, job]));
  const known = new Set(list.jobs.map(({ id }) => id));
  const fresh = news.jobs.filter((job) => !known.has(job.id) && !isBelow(job, list)).map(({ id }) => id);
  const jobs = list.jobs.some(({ id }) => byId.has(id))
    ? list.jobs.map((job) => byId.get(job.id) ?? job)
    : list.jobs;
  const all = new Set([...list.fresh, ...fresh].slice(0, MOST_NEWS));
  return { ...list, jobs, fresh: all, looks: list.looks + 1 };
}

/** The list with one row as it is now; undefined: the job is gone. */
export function withRow(list: FoundList, id: string, now: FoundJob | undefined): FoundList {
  const jobs = list.jobs.map((job): ListedJob => {
    if (job.id !== id) return job;
    return now ?? { ...job, isGone: true };
  });
  return { ...list, jobs };
}

/** An empty list gets its first rows. It keeps how far it was searched, unless there are more new jobs. */
function withFirstRows(list: FoundList, news: FoundJobs): FoundList {
  const looks = list.looks + 1;
  if (news.jobs.length === 0) return { ...list, looks };
  const cursor = news.jobs.length < MOST_NEWS ? list.cursor : news.nextCursor;
  return { ...withPage(list, news), cursor, looks };
}

/** Whether a job is not new, but one of those that "Load more" adds. */
function isBelow({ id, submittedAt, endedAt }: FoundJob, { last, cursor }: FoundList): boolean {
  if (cursor === undefined || last === undefined) return false;
  if (last.endedAt === undefined) return endedAt !== undefined || submittedAt < last.submittedAt;
  if (endedAt === undefined) return false;
  return endedAt < last.endedAt || (endedAt === last.endedAt && id < last.id);
}

function newestOf(jobs: readonly FoundJob[]): number | undefined {
  const times = jobs.map(({ endedAt, submittedAt }) => Date.parse(endedAt ?? submittedAt));
  return times.length === 0 ? undefined : times.reduce((most, time) => Math.max(most, time), 0);
}
