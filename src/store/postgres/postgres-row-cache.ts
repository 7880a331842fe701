import { keyOf } from "../key-of.ts";
import type { Step } from "../steps.ts";
import type { CachedRow, JobRow, TrackedJob } from "./postgres-job-row.ts";

/**
 * The running jobs that this server has handed out, so that a result need not read its job. Another server
 * may have changed them: the statement that relies on a cached row fails then (`PostgresFailure`, stale).
 */
export interface RowCache {
  /** The rows of jobs that these steps end without reading them, by `keyOf`. */
  for(steps: readonly Step[]): ReadonlyMap<string, CachedRow>;
  /** Keeps the running jobs that a committed transaction has written; undefined: its id is not known. */
  committed(jobs: Iterable<TrackedJob>, version: string | undefined): void;
  forget(steps: readonly Step[]): void;
  /** Another server may be the primary. */
  clear(): void;
}

/** Rows at most, about 1 kB each; the oldest go first. */
const LIMIT = 8_192;

export function rowCache(): RowCache {
  const rows = new Map<string, CachedRow>();

  return {
    for(steps) {
      const found = new Map<string, CachedRow>();
      if (rows.size === 0) return found;
      /** Jobs that another step needs, too: they are read for all. */
      const read: string[] = [];
      for (const step of steps) {
        for (const key of keysOf(step)) {
          const cached = rows.get(key);
          if (cached !== undefined && endsBy(step, cached.row)) found.set(key, cached);
          else read.push(key);
        }
      }
      for (const key of read) found.delete(key);
      return found;
    },

    committed(jobs, version) {
      for (const { row, before } of jobs) {
        if (row === before) continue;
        const key = keyOf(row.endpoint, row.id);
        rows.delete(key);
        if (row.state !== "IN_PROGRESS" || version === undefined) continue;
        dropContents(row, before);
        rows.set(key, { row, version });
      }
      for (const key of rows.keys()) {
        if (rows.size <= LIMIT) break;
        rows.delete(key);
      }
    },

    forget(steps) {
      for (const step of steps) for (const key of keysOf(step)) rows.delete(key);
    },

    clear: () => rows.clear(),
  };
}

/**
 * Whether the step is the report of a worker that ends the job, if the row is still the cached one. Only then
 * the row is written, and its version checked: what refuses the report may have changed on another server.
 */
function endsBy(step: Step, row: JobRow): boolean {
  if (step.step !== "finish" || step.worker === undefined || step.worker !== row.holder) return false;
  return step.attempt === undefined || step.attempt === row.attempt;
}

function keysOf(step: Step): string[] {
  return "endpoint" in step && "id" in step ? [keyOf(step.endpoint, step.id)] : [];
}

/** Nobody else uses the row any more. One that was just handed out has no progress, so that is known. */
function dropContents(row: JobRow, before: JobRow | undefined): void {
  const isHandedOut = before === undefined || before.state === "IN_QUEUE";
  const progress = isHandedOut && !row.progress ? null : undefined;
  Object.assign(row, { body: undefined, secret: undefined, output: undefined, error: undefined, progress });
}
