import type { FoundJob, FoundJobs } from "../../answers.ts";

/** A row of the list. `isGone`: the server has nothing of this job any more. */
export type ListedJob = FoundJob & { readonly isGone?: true };

/** What is known of a list of jobs. */
export interface FoundList {
  readonly jobs: readonly ListedJob[];
  /** Undefined: nothing was read yet. */
  readonly historyMs: number | undefined;
  /** Where the next page begins; undefined: there is none. */
  readonly cursor: string | undefined;
  /** Jobs that came since, and that the list does not have. */
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
  fresh: new Set(),
  newest: undefined,
  looks: 0,
};

/** The list with a page below it. A job that ended between two pages is on both. */
export function withPage(list: FoundList, { jobs, historyMs, nextCursor }: FoundJobs): FoundList {
  const known = new Set(list.jobs.map(({ id }) => id));
  const all = [...list.jobs, ...jobs.filter(({ id }) => !known.has(id))];
  return { ...list, jobs: all, historyMs, cursor: nextCursor, newest: newestOf(all) };
}

/** The list with what changed of its rows. New jobs are counted, and only an empty list gets them. */
export function withNews(list: FoundList, news: FoundJobs): FoundList {
  if (list.jobs.length === 0 && list.historyMs !== undefined) return withPage(list, news);
  const byId = new Map(news.jobs.map((job) => [job.id, job]));
  const known = new Set(list.jobs.map(({ id }) => id));
  const fresh = news.jobs.flatMap(({ id }) => (known.has(id) ? [] : [id]));
  const jobs = list.jobs.some(({ id }) => byId.has(id))
    ? list.jobs.map((job) => byId.get(job.id) ?? job)
    : list.jobs;
  return { ...list, jobs, fresh: new Set([...list.fresh, ...fresh]), looks: list.looks + 1 };
}

/** The list with one row as it is now; undefined: the job is gone. */
export function withRow(list: FoundList, id: string, now: FoundJob | undefined): FoundList {
  const jobs = list.jobs.map((job): ListedJob => {
    if (job.id !== id) return job;
    return now ?? { ...job, isGone: true };
  });
  return { ...list, jobs };
}

function newestOf(jobs: readonly FoundJob[]): number | undefined {
  const times = jobs.map(({ endedAt, submittedAt }) => Date.parse(endedAt ?? submittedAt));
  return times.length === 0 ? undefined : times.reduce((most, time) => Math.max(most, time), 0);
}
