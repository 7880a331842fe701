import { KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import type { GivenBackAttempt } from "../../domain/late-result.ts";
import { type AttemptTexts, givenBackIn } from "../attempt-text.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/** What is kept of attempts outside the rows of their jobs. */
export interface Attempts {
  /** Keeps what is said of an attempt, unless it is known already. */
  keep(seq: number, attempt: number, said: Partial<AttemptTexts>): void;
  /** Those that were given back, the oldest first. */
  givenBack(seq: number): GivenBackAttempt[];
  /** An attempt has ended otherwise. */
  replace(seq: number, attempt: number, ended: string): void;
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

  return {
    keep(seq, attempt, { ended = null, cold_start: coldStart = null, output = null }) {
      put.run(seq, attempt, ended, coldStart, output);
      if (attempt > KEPT_ATTEMPTS) removeOld.run(seq, attempt - KEPT_ATTEMPTS);
    },

    givenBack: (seq) => givenBackIn(selectEnded.all(seq)),
    replace: (seq, attempt, ended) => void replace.run(seq, attempt, ended),
    remove: (seq) => void remove.run(seq),
  };
}
