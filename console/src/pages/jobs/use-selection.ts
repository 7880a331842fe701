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
}

/** Begins empty, and again whenever another list is shown. */
export function useSelection(query: string, listed: readonly ListedJob[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  useEffect(() => {
    setIds(new Set());
    setAll(false);
  }, [query]);
  const jobs = isAll ? listed : listed.filter(({ id }) => ids.has(id));
  return {
    jobs,
    isAll,
    has: (id) => isAll || ids.has(id),
    choose(id, isChosen) {
      const all = listed.map((job) => job.id);
      setIds((before) => {
        const rest = new Set(isAll ? all : before);
        if (isChosen) rest.add(id);
        else rest.delete(id);
        return rest;
      });
      setAll(false);
    },
    chooseListed(isChosen) {
      setAll(false);
      setIds(new Set(isChosen ? listed.map(({ id }) => id) : []));
    },
    chooseAll: () => setAll(true),
  };
}

/** What an action is asked to act on. */
export function namedIn({ jobs, isAll }: Selection, place: JobListPlace): ManyJobs {
  if (!isAll) return { jobs: jobs.map(({ endpointId, id }) => ({ endpoint: endpointId, id })) };
  const states = statesOf(place.filters);
  const { state: _, ...conditions } = Object.fromEntries(queryOf(place));
  return { filter: states.length === 0 ? conditions : { ...conditions, state: states } };
}
