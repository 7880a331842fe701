import type { Job } from "../domain/job.ts";
import type { Signal } from "../store/store.ts";

/**
 * How the workers ended at which jobs were lost, as far as this server knows: for the error of a job that is
 * lost too often.
 */
export interface Losses {
  /** The job was lost at a worker that ended so; the answer is all that is known of its losses. */
  add(job: Pick<Job, "endpoint" | "id">, how: string): readonly string[];
  follow(signal: Signal): void;
}

/** Whatever else happens to a job, its losses are over or count anew. */
const STAYS: ReadonlySet<Signal["event"]> = new Set(["take", "giveBack", "append", "put", "remove"]);

/** So many jobs are remembered; those lost longest ago go first. */
const LIMIT = 10_000;

export function losses(): Losses {
  const known = new Map<string, readonly string[]>();
  const keyOf = (endpoint: string, id: string): string => `${endpoint}/${id}`;
  return {
    add({ endpoint, id }, how) {
      const key = keyOf(endpoint, id);
      const all = [...(known.get(key) ?? []), how];
      known.delete(key);
      known.set(key, all);
      for (const oldest of known.keys()) {
        if (known.size <= LIMIT) break;
        known.delete(oldest);
      }
      return all;
    },

    follow({ event, endpoint, id }) {
      if (known.size > 0 && !STAYS.has(event)) known.delete(keyOf(endpoint, id));
    },
  };
}
