import { useEffect, useState } from "preact/hooks";
import type { ManyJobs } from "../../answers.ts";
import { type JobListPlace, queryOf, statesOf } from "../../parts/job-filters.ts";
import type { ListedJob } from "./found-list.ts";

/** The rows that the reader selected, or all jobs of the list, also those that are not shown. */
export interface Selection {
  readonly jobs: readonly ListedJob[];
  /** Whether all matches are meant, also those below the list. */
  readonly isAll: boolean;
  readonly has: (id: string) => boolean;
  readonly choose: (id: string, isChosen: boolean) => void;
  readonly chooseListed: (isChosen: boolean) => void;
  readonly chooseAll: () => void;
  readonly clear: () => void;
}

/**
 * Begins empty, and again whenever another list is shown. A row stays selected when new rows push it out of
 * the list.
 */
export function useSelection(query: string, listed: readonly ListedJob[]): Selection {
  const [chosen, setChosen] = useState<Rows>(NONE);
  const [isAll, setAll] = useState(false);
  function choose(rows: Rows): void {
    setChosen(rows);
    setAll(false);
  }
  const clear = (): void => choose(NONE);
  useEffect(clear, [query]);
  const rows: Rows = new Map(listed.map((job) => [job.id, job]));
  const others = [...chosen.values()].filter(({ id }) => !rows.has(id));
  const has = (id: string): boolean => isAll || chosen.has(id);
  return {
    jobs: isAll ? listed : [...listed.filter(({ id }) => has(id)), ...others],
    isAll,
    has,
    choose(id, isChosen) {
      const rest = new Map(isAll ? rows : chosen);
      const row = rows.get(id);
      if (isChosen && row !== undefined) rest.set(id, row);
      else rest.delete(id);
      choose(rest);
    },
    chooseListed: (isChosen) => choose(isChosen ? new Map([...chosen, ...rows]) : NONE),
    chooseAll: () => setAll(true),
    clear,
  };
}

type Rows = ReadonlyMap<string, ListedJob>;

const NONE: Rows = new Map();

/** What an action is asked to act on. */
export function namedIn({ jobs, isAll }: Selection, place: JobListPlace): ManyJobs {
  if (!isAll) return { jobs: jobs.map(({ endpointId, id }) => ({ endpoint: endpointId, id })) };
  const states = statesOf(place.filters);
  const { state: _, ...conditions } = Object.fromEntries(queryOf(place));
  return { filter: states.length === 0 ? conditions : { ...conditions, state: states } };
}
