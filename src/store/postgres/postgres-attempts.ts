import { KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import type { AttemptTexts } from "../attempt-text.ts";
import { givenRows } from "./postgres-arrays.ts";
import { JOB_NAMES } from "./postgres-job-row.ts";

/** What is kept of an attempt outside the row of its job. */
export interface NewAttempt extends AttemptTexts {
  readonly endpoint: string;
  readonly job: string;
}

/** An attempt whose end is another one after all. */
export interface ReplacedAttempt {
  readonly endpoint: string;
  readonly job: string;
  readonly number: number;
  readonly ended: string;
}

/** Those of jobs that are over. Takes `JOB_NAMES`. */
export const READ_ATTEMPTS = `
  SELECT attempt.endpoint, attempt.job, number, ended, cold_start, output
  FROM ${JOB_NAMES.source} AS named (${JOB_NAMES.names})
    JOIN forebay.attempt ON attempt.endpoint = named.endpoint AND attempt.job = named.id
  WHERE ended IS NOT NULL ORDER BY number`;

/** Of jobs that are deleted. Takes `JOB_NAMES`. */
export const REMOVE_ATTEMPTS = `
  DELETE FROM forebay.attempt USING ${JOB_NAMES.source} AS gone (${JOB_NAMES.names})
  WHERE attempt.endpoint = gone.endpoint AND attempt.job = gone.id`;

export const NEW_ATTEMPTS = givenRows({
  endpoint: "text",
  job: "text",
  number: "integer",
  ended: "text",
  cold_start: "text",
  output: "text",
});

/** Takes `NEW_ATTEMPTS`. Their jobs are there: the transaction has locked or written them. */
export const ADD_ATTEMPTS = `
  INSERT INTO forebay.attempt (${NEW_ATTEMPTS.names}) SELECT * FROM ${NEW_ATTEMPTS.source}
  ON CONFLICT (endpoint, job, number) DO UPDATE
  SET ended = coalesce(attempt.ended, excluded.ended),
      cold_start = coalesce(attempt.cold_start, excluded.cold_start),
      output = coalesce(attempt.output, excluded.output)`;

export const REPLACED_ATTEMPTS = givenRows({
  endpoint: "text",
  job: "text",
  number: "integer",
  ended: "text",
});

/** Takes `REPLACED_ATTEMPTS`. */
export const REPLACE_ATTEMPTS = `
  UPDATE forebay.attempt SET ended = given.ended
  FROM ${REPLACED_ATTEMPTS.source} AS given (${REPLACED_ATTEMPTS.names})
  WHERE attempt.endpoint = given.endpoint AND attempt.job = given.job AND attempt.number = given.number`;

export const NEWEST_OLD_ATTEMPTS = givenRows({ endpoint: "text", job: "text", number: "integer" });

/** Takes `NEWEST_OLD_ATTEMPTS`. */
export const REMOVE_OLD_ATTEMPTS = `
  DELETE FROM forebay.attempt USING ${NEWEST_OLD_ATTEMPTS.source} AS old (${NEWEST_OLD_ATTEMPTS.names})
  WHERE attempt.endpoint = old.endpoint AND attempt.job = old.job AND attempt.number <= old.number`;

/** For each job with too many attempts: the newest attempt that is not kept. */
export function newestOldAttempts(attempts: readonly NewAttempt[]) {
  return attempts
    .filter(({ number }) => number > KEPT_ATTEMPTS)
    .map(({ endpoint, job, number }) => ({ endpoint, job, number: number - KEPT_ATTEMPTS }));
}
