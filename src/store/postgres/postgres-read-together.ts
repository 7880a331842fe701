import type { Pool } from "./postgres-driver.ts";
import { postgresFailure } from "./postgres-failure.ts";
import { JOB_COLUMNS, JOB_NAMES, type JobRow, RESULT_COLUMNS } from "./postgres-job-row.ts";
import { keyOf } from "../key-of.ts";

const SELECT_JOBS = `
  SELECT ${JOB_COLUMNS}, ${RESULT_COLUMNS}
  FROM ${JOB_NAMES.source} AS asked (${JOB_NAMES.names})
    JOIN forebay.job ON job.endpoint = asked.endpoint AND job.id = asked.id`;

interface Asked {
  readonly endpoint: string;
  readonly id: string;
  readonly resolve: (row: JobRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Results of so many jobs travel in one answer at most. */
const JOBS_TOGETHER = 64;

/** Answers on their way: of four connections two stay for other reads. */
const STATEMENTS_AT_ONCE = 2;

/**
 * Reads jobs with their results. What is asked for while others are on their way travels together: most of
 * what one row costs is its statement. A statement that fails because of a row is repeated for each job.
 */
export function readTogether(pool: Pool): (endpoint: string, id: string) => Promise<JobRow | undefined> {
  let waiting: Asked[] = [];
  let underWay = 0;
  let isPlanned = false;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      while (waiting.length > 0 && underWay < STATEMENTS_AT_ONCE) {
        const together = waiting.slice(0, JOBS_TOGETHER);
        waiting = waiting.slice(JOBS_TOGETHER);
        underWay++;
        void answer(together).finally(() => {
          underWay--;
          if (waiting.length > 0) plan();
        });
      }
    });
  }

  async function answer(together: readonly Asked[]): Promise<void> {
    try {
      const rows = await pool.query<JobRow>(SELECT_JOBS, JOB_NAMES.arrays(together));
      const found = new Map(rows.map((row) => [keyOf(row.endpoint, row.id), row]));
      for (const { endpoint, id, resolve } of together) resolve(found.get(keyOf(endpoint, id)));
    } catch (error) {
      // Only a row can be at fault alone: where the database is, all would wait one after the other for it.
      const isOfOne = together.length > 1 && postgresFailure(error).kind === "fault";
      if (isOfOne) for (const one of together) await answer([one]);
      else for (const { reject } of together) reject(error);
    }
  }

  return (endpoint, id) =>
    new Promise((resolve, reject) => {
      waiting.push({ endpoint, id, resolve, reject });
      plan();
    });
}
