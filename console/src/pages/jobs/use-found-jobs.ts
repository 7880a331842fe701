import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { FoundJob } from "../../answers.ts";
import { keepList, keptCount } from "../../parts/job-lists.ts";
import { type FoundList, MOST_NEWS, NOTHING, withNews, withPage, withRow } from "./found-list.ts";

/** Rows of a page, and the most that are read at once when a reader comes back to a longer list. */
const PAGE = 50;
const MOST_AT_ONCE = 1_000;

/** One call looks at about 50,000 jobs. After so many calls the reader decides whether to go on. */
const CALLS = 20;

/** How often new jobs are looked for, ms. A search that took long is repeated seldom. */
const EVERY = 2_000;
const REST = 20;

/** How many rows of jobs that have not ended are read again each time. */
const WATCHED = 20;

/** A list of jobs that grows downwards when the reader asks, and in which nothing else moves. */
export interface FoundJobs {
  readonly list: FoundList;
  /** Whether the rows are still those of the query before. */
  readonly isOld: boolean;
  readonly isReading: boolean;
  readonly error: ApiError | undefined;
  /** Reads the next page. */
  readonly readMore: () => void;
  /** Reads the list from its beginning. */
  readonly readAgain: () => void;
}

/** Reads the jobs of a query, and watches for new ones and for other states while the page is visible. */
export function useFoundJobs(query: string): FoundJobs {
  const [list, setList] = useState<FoundList>(NOTHING);
  const [shown, setShown] = useState<string>();
  const [isReading, setReading] = useState(true);
  const { error, forget, attempted } = useFailures();
  const [round, setRound] = useState(0);
  const scope = useRef(new AbortController());
  const newest = useRef(list);
  newest.current = list;

  /** Returns why no page could be read. */
  async function read(signal: AbortSignal, from: FoundList, wanted: number): Promise<ApiError | undefined> {
    let hasRead = false;
    setReading(true);
    const failure = await attempted(signal, () =>
      readPages(query, from, wanted, signal, (known) => {
        hasRead = true;
        setList(known);
        setShown(query);
      }),
    );
    if (!signal.aborted) setReading(false);
    return hasRead ? undefined : failure;
  }

  useEffect(() => {
    const gone = new AbortController();
    const { signal } = gone;
    scope.current = gone;
    const later = timerUntil(signal);
    async function watch(): Promise<void> {
      const begun = performance.now();
      if (document.visibilityState === "visible")
        await attempted(signal, () => look(query, newest.current, signal, setList));
      if (!signal.aborted) later(watch, (performance.now() - begun) * REST);
    }
    async function begin(): Promise<void> {
      const failure = await read(signal, NOTHING, Math.max(PAGE, keptCount(query)));
      if (signal.aborted) return;
      if (failure === undefined || canPass(failure)) later(failure === undefined ? watch : begin);
    }
    forget();
    void begin();
    return () => gone.abort();
  }, [query, round]);

  useEffect(() => {
    if (shown === query && list.jobs.length > 0) keepList(query, list.jobs, list.cursor);
  }, [query, shown, list.jobs, list.cursor]);

  return {
    list,
    isOld: shown !== query,
    isReading,
    error,
    readMore: () => void (isReading || read(scope.current.signal, newest.current, PAGE)),
    readAgain: () => setRound((before) => before + 1),
  };
}

/** Does one thing later, in `EVERY` ms or more, unless the signal comes first. */
function timerUntil(signal: AbortSignal): (act: () => Promise<void>, ms?: number) => void {
  let timer = 0;
  signal.addEventListener("abort", () => window.clearTimeout(timer));
  return (act, ms = 0) => {
    timer = window.setTimeout(() => void act(), Math.max(EVERY, ms));
  };
}

/** The newest failure, and what runs calls of the server so that it is kept. */
function useFailures() {
  const [error, setError] = useState<ApiError>();
  const [fault, setFault] = useState<{ error: unknown }>();
  // Errors that are not answers of the server belong to the guard of the panel.
  if (fault !== undefined) throw fault.error;

  async function attempted(signal: AbortSignal, act: () => Promise<void>): Promise<ApiError | undefined> {
    try {
      await act();
      if (!signal.aborted) setError(undefined);
    } catch (caught) {
      if (signal.aborted) return undefined;
      if (caught instanceof ApiError) {
        setError(caught);
        return caught;
      }
      setFault({ error: caught });
    }
    return undefined;
  }

  return { error, forget: () => setError(undefined), attempted };
}

/** Whether the same call can succeed later; what the server refuses stays refused. */
function canPass({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Reads page after page, until there are so many rows more. */
async function readPages(
  query: string,
  from: FoundList,
  wanted: number,
  signal: AbortSignal,
  change: (to: FoundList) => void,
): Promise<void> {
  let known = from;
  const { length } = from.jobs;
  for (let call = 0; call < CALLS && known.jobs.length - length < wanted; call++) {
    const limit = Math.min(MOST_AT_ONCE, wanted - (known.jobs.length - length));
    const page = await api.findJobs(query, { limit, cursor: known.cursor }, signal);
    if (signal.aborted) return;
    known = withPage(known, page);
    change(known);
    if (page.nextCursor === undefined) return;
  }
}

/** Looks for jobs that are newer than the list, and for the states of those that had not ended. */
async function look(
  query: string,
  list: FoundList,
  signal: AbortSignal,
  change: (to: (before: FoundList) => FoundList) => void,
): Promise<void> {
  const news = await api.findJobs(newsQuery(query, list), { limit: MOST_NEWS }, signal);
  if (signal.aborted) return;
  change((before) => withNews(before, news));
  const seen = new Set(news.jobs.map(({ id }) => id));
  const watched = list.jobs.filter((job) => job.endedAt === undefined && !job.isGone && !seen.has(job.id));
  // Another part of them each time.
  const first = list.looks * WATCHED;
  const some = watched.length <= WATCHED ? watched : cyclic(watched, first % watched.length, WATCHED);
  await Promise.all(
    some.map(async ({ id }) => {
      const job = await jobOrGone(id, signal);
      if (!signal.aborted) change((before) => withRow(before, id, job));
    }),
  );
}

/** What can be new ended or came since the newest row, or shortly before: records are written a bit later. */
const LATE = 5_000;

function newsQuery(query: string, { newest }: FoundList): string {
  const asked = new URLSearchParams(query);
  const from = Date.parse(asked.get("from") ?? "");
  if (newest !== undefined && !(from > newest - LATE)) asked.set("from", String(newest - LATE));
  return asked.toString();
}

async function jobOrGone(id: string, signal: AbortSignal): Promise<FoundJob | undefined> {
  try {
    return await api.foundJob(id, signal);
  } catch (error) {
    if (error instanceof ApiError && error.code === "JOB_NOT_FOUND") return undefined;
    throw error;
  }
}

function cyclic<Item>(items: readonly Item[], from: number, count: number): readonly Item[] {
  return [...items.slice(from), ...items].slice(0, count);
}
