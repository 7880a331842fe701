import { SYNC_PREFIX } from "../../domain/ids.ts";
import { placeOf } from "../../domain/job-places.ts";
import { jobOf } from "../job-columns.ts";
import type { Store } from "../store.ts";
import type { MemoryDatabase } from "./memory-database.ts";
import { compareTexts, firstOf } from "./table.ts";

/** Above every place, because those are hexadecimal. */
const TOP = "g";

/** Jobs by the places of their ids. Those of each kind stand in the order of ids, so two walks are merged. */
export function submittedJobs({ jobsById }: MemoryDatabase): Store["submitted"] {
  /** From below a place down, at most `count`. */
  function walk(endpoint: string, before: string, count: number) {
    const walks = ["", SYNC_PREFIX].map((prefix) => {
      const jobs = jobsById.descending(endpoint, ({ id }) => id < prefix + before);
      return firstOf(jobs, count, ({ id }) => id >= prefix);
    });
    const merged = walks.flat().map((job) => ({ job, place: placeOf(job.id) }));
    return merged.toSorted((one, other) => compareTexts(other.place, one.place)).slice(0, count);
  }

  return async (endpoint, state, before = TOP, limit, looked) => {
    const all = state === undefined ? [] : walk(endpoint, before, looked);
    const floor = all.length < looked ? undefined : all.at(-1)?.place;
    // One more than `limit`, to see whether another one follows.
    const found =
      state === undefined ? walk(endpoint, before, limit + 1) : all.filter(({ job }) => job.state === state);
    const page = found.slice(0, limit);
    return {
      jobs: page.map(({ job }) => jobOf(job)),
      next: found.length > limit ? page.at(-1)?.place : floor,
    };
  };
}
