import { type ColdStart, KEPT_ATTEMPTS, type EndedAttempt } from "../../domain/attempt.ts";
import type { GivenBackAttempt } from "../../domain/late-result.ts";
import { type AttemptTexts, coldStartText, endedText, givenBackIn, lateText } from "../attempt-text.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import type { JobRow } from "./sqlite-job-row.ts";

/** What is kept of attempts beside the rows of their jobs. */
export interface Attempts {
  /** Keeps the attempt that the row tells of, before the row tells of the next one. */
  keepEnd(row: JobRow, endedAt: number, end: Pick<EndedAttempt, "outcome" | "error" | "exit">): void;
  keepColdStart(row: Pick<JobRow, "seq">, attempt: number, coldStart: ColdStart): void;
  /** What its worker reported beside its error: JSON. */
  keepOutput(row: Pick<JobRow, "seq" | "attempt">, output: string): void;
  /** Those that were given back, the oldest first. */
  givenBack(seq: number): GivenBackAttempt[];
  /** An attempt that was given back has brought the result after all. */
  keepLate(seq: number, late: GivenBackAttempt, endedAt: number): void;
  remove(seq: number): void;
}

type Parameters = [
  seq: number,
  attempt: number,
  ended: string | null,
  coldStart: string | null,
  output: string | null,
];

export function sqliteAttempts(database: Database): Attempts {
  const put = prepare<never, Parameters>(
    database,
    `INSERT INTO attempt (job, number, ended, cold_start, output) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (job, number) DO UPDATE
     SET ended = ifnull(ended, excluded.ended), cold_start = ifnull(cold_start, excluded.cold_start),
         output = ifnull(output, excluded.output)`,
  );
  const removeOld = prepare<never, [seq: number, upTo: number]>(
    database,
    "DELETE FROM attempt WHERE job = ?1 AND number <= ?2",
  );
  const remove = prepare<never, [seq: number]>(database, "DELETE FROM attempt WHERE job = ?1");
  const selectEnded = prepare<AttemptTexts, [seq: number]>(
    database,
    `SELECT number, ended, cold_start, output FROM attempt
     WHERE job = ?1 AND ended IS NOT NULL ORDER BY number`,
  );
  const replace = prepare<never, [seq: number, attempt: number, ended: string]>(
    database,
    "UPDATE attempt SET ended = ?3 WHERE job = ?1 AND number = ?2",
  );
  const mark = prepare<never, [seq: number]>(
    database,
    "UPDATE job SET beside = 1 WHERE seq = ?1 AND beside = 0",
  );

  return {
    keepEnd(row, endedAt, end) {
      const ended = endedText(row, endedAt, end);
      if (ended === undefined) return;
      put.run(row.seq, row.attempt, ended, null, null);
      mark.run(row.seq);
      if (row.attempt > KEPT_ATTEMPTS) removeOld.run(row.seq, row.attempt - KEPT_ATTEMPTS);
    },

    keepColdStart({ seq }, attempt, coldStart) {
      put.run(seq, attempt, null, coldStartText(coldStart), null);
      mark.run(seq);
    },

    keepOutput({ seq, attempt }, output) {
      put.run(seq, attempt, null, null, output);
      mark.run(seq);
    },

    givenBack: (seq) => givenBackIn(selectEnded.all(seq)),

    keepLate(seq, { attempt, ended }, endedAt) {
      replace.run(seq, attempt, lateText(ended, endedAt));
    },

    remove: (seq) => void remove.run(seq),
  };
}
