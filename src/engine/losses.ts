import type { Job } from "../domain/job.ts";
import type { Signal } from "../store/signals.ts";

/**
 * How the workers ended that lost jobs, as far as this server knows: for the error of a job that is lost too
 * often.
 */
export interface Losses {
  /** Notes that a worker which ended like this lost the job. Answers all known losses of the job. */
  add(job: Pick<Job, "endpoint" | "id">, how: string): readonly string[];
  follow(signal: Signal): void;
}

/** After any other event of a job, its losses are over or start again. */
const STAYS: ReadonlySet<Signal["event"]> = new Set(["take", "giveBack", "append", "put", "remove"]);

/** How many jobs are remembered: the newest losses. */
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
