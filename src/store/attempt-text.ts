import type { ColdStart, EndedAttempt, KeptAttempt } from "../domain/attempt.ts";
import type { GivenBackAttempt } from "../domain/late-result.ts";

/** What the stores have of an attempt in the row of its job. */
interface AttemptRow {
  readonly queued_at: number;
  readonly taken_at: number | null;
  readonly worker: string | null;
  readonly position: number;
  readonly chunks: number;
}

/**
 * The newest attempt of the row as it is kept when the job goes on; undefined if the job was waiting, so that
 * there is none.
 */
export function endedText(
  row: AttemptRow,
  endedAt: number,
  { outcome, error, exit }: Pick<EndedAttempt, "outcome" | "error" | "exit">,
): string | undefined {
  if (row.taken_at === null) return undefined;
  const ended: EndedAttempt = {
    outcome,
    queuedAt: row.queued_at,
    startedAt: row.taken_at,
    endedAt,
    worker: row.worker ?? undefined,
    position: row.position,
    chunks: row.chunks,
    error,
    exit,
  };
  return JSON.stringify(ended);
}

/** The attempt as it is kept when it brings its result after it was given back. */
export function lateText(given: EndedAttempt, endedAt: number): string {
  const late: EndedAttempt = { ...given, outcome: "COMPLETED", endedAt, error: undefined, exit: undefined };
  return JSON.stringify(late);
}

/** The attempts among these that are over. */
export function givenBackIn(rows: readonly AttemptTexts[]): GivenBackAttempt[] {
  return rows.flatMap((row) => {
    const { attempt, ended } = keptAttempt(row);
    return ended === undefined ? [] : [{ attempt, ended }];
  });
}

export function coldStartText(coldStart: ColdStart): string {
  return JSON.stringify(coldStart);
}

/** The row of an attempt, as the stores keep it. */
export interface AttemptTexts {
  readonly number: number;
  readonly ended: string | null;
  readonly cold_start: string | null;
  readonly output: string | null;
}

/** Only the functions above have written what it reads. */
export function keptAttempt({ number, ended, cold_start: coldStart, output }: AttemptTexts): KeptAttempt {
  return {
    attempt: number,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    ended: ended === null ? undefined : (JSON.parse(ended) as EndedAttempt),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    coldStart: coldStart === null ? undefined : (JSON.parse(coldStart) as ColdStart),
    output: output ?? undefined,
  };
}
