import { KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import type { AttemptTexts } from "../attempt-text.ts";
import { array, type Parameter } from "./postgres-driver.ts";

/** What is to be kept of an attempt beside the row of its job. */
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

/** Takes endpoints and ids of jobs. */
export const READ_ATTEMPTS = `
  SELECT attempt.endpoint, attempt.job, number, ended, cold_start, output
  FROM unnest($1::text[], $2::text[]) AS named (endpoint, id)
    JOIN forebay.attempt ON attempt.endpoint = named.endpoint AND attempt.job = named.id
  WHERE ended IS NOT NULL ORDER BY number`;

/** Takes what `replacedAttemptColumns` makes. */
export const REPLACE_ATTEMPTS = `
  UPDATE forebay.attempt SET ended = given.ended
  FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[]) AS given (endpoint, job, number, ended)
  WHERE attempt.endpoint = given.endpoint AND attempt.job = given.job AND attempt.number = given.number`;

export function replacedAttemptColumns(attempts: readonly ReplacedAttempt[]): Parameter[] {
  return [
    ...names(attempts),
    array(
      attempts.map(({ number }) => number),
      "integer",
    ),
    array(
      attempts.map(({ ended }) => ended),
      "text",
    ),
  ];
}

/** Takes what `newAttemptColumns` makes. Their jobs are there: the transaction has locked or written them. */
export const ADD_ATTEMPTS = `
  INSERT INTO forebay.attempt (endpoint, job, number, ended, cold_start, output)
  SELECT * FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[])
  ON CONFLICT (endpoint, job, number) DO UPDATE
  SET ended = coalesce(attempt.ended, excluded.ended),
      cold_start = coalesce(attempt.cold_start, excluded.cold_start),
      output = coalesce(attempt.output, excluded.output)`;

/** Takes what `oldAttemptColumns` makes. */
export const REMOVE_OLD_ATTEMPTS = `
  DELETE FROM forebay.attempt
  USING unnest($1::text[], $2::text[], $3::integer[]) AS old (endpoint, job, number)
  WHERE attempt.endpoint = old.endpoint AND attempt.job = old.job AND attempt.number <= old.number`;

/** Of jobs that are gone. */
export const REMOVE_ATTEMPTS = `
  DELETE FROM forebay.attempt USING unnest($1::text[], $2::text[]) AS gone (endpoint, id)
  WHERE attempt.endpoint = gone.endpoint AND attempt.job = gone.id`;

export function newAttemptColumns(attempts: readonly NewAttempt[]): Parameter[] {
  return [
    ...names(attempts),
    array(
      attempts.map(({ number }) => number),
      "integer",
    ),
    array(
      attempts.map(({ ended }) => ended),
      "text",
    ),
    array(
      attempts.map((attempt) => attempt.cold_start),
      "text",
    ),
    array(
      attempts.map(({ output }) => output),
      "text",
    ),
  ];
}

/** Undefined where none is too many. */
export function oldAttemptColumns(attempts: readonly NewAttempt[]): Parameter[] | undefined {
  const many = attempts.filter(({ number }) => number > KEPT_ATTEMPTS);
  if (many.length === 0) return undefined;
  const numbers = many.map(({ number }) => number - KEPT_ATTEMPTS);
  return [...names(many), array(numbers, "integer")];
}

function names(attempts: readonly Pick<NewAttempt, "endpoint" | "job">[]): Parameter[] {
  return [
    array(
      attempts.map(({ endpoint }) => endpoint),
      "text",
    ),
    array(
      attempts.map(({ job }) => job),
      "text",
    ),
  ];
}
