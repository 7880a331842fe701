import type { Finish, Step } from "../steps.ts";
import type { JobRow, KnownRow } from "./postgres-job-row.ts";
import { keyOf } from "../key-of.ts";
import type { TrackedJob } from "./postgres-unit.ts";

/**
 * Running jobs as this server has written them last, so that a result need not read its job again. Only a
 * guess: the statement that relies on it fails where somebody else has written the row since.
 */
export interface KnownRows {
  /** What is known of the jobs that can end without being read, by `keyOf`. */
  for(steps: readonly Step[]): ReadonlyMap<string, KnownRow>;
  /** What a committed transaction has left of the rows that it had in hand; undefined: it wrote nothing. */
  committed(jobs: Iterable<TrackedJob>, version: string | undefined): void;
  forget(steps: readonly Step[]): void;
  /** Nothing is known any more: another server may be the primary. */
  clear(): void;
}

/** Of so many jobs at most, about 1 kB each; beyond, those that were written first are read again. */
const LIMIT = 8_192;

export function knownRows(): KnownRows {
  const rows = new Map<string, KnownRow>();

  return {
    for(steps) {
      const found = new Map<string, KnownRow>();
      if (rows.size === 0) return found;
      for (const step of steps) {
        if (!isResult(step)) continue;
        const key = keyOf(step.endpoint, step.id);
        const known = rows.get(key);
        // Another server may have handed out another attempt: the row itself decides. An attempt goes to one
        // worker only, so this row refuses others as the row itself would.
        if (known !== undefined && known.row.attempt === step.attempt) found.set(key, known);
      }
      for (const step of steps) if (!isResult(step)) for (const key of keysOf(step)) found.delete(key);
      return found;
    },

    committed(jobs, version) {
      for (const { row, before } of jobs) {
        if (row === before) continue;
        const key = keyOf(row.endpoint, row.id);
        rows.delete(key);
        if (row.state === "IN_PROGRESS" && version !== undefined) {
          rows.set(key, { row: withoutContents(row), version });
        }
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

/** The report of an attempt. */
function isResult(step: Step): step is Finish {
  return step.step === "finish" && step.worker !== undefined && step.attempt !== undefined;
}

function keysOf(step: Step): string[] {
  return "endpoint" in step && "id" in step ? [keyOf(step.endpoint, step.id)] : [];
}

function withoutContents(row: JobRow): JobRow {
  const { body: _body, secret: _secret, output: _output, error: _error, progress: _progress, ...rest } = row;
  return rest;
}
