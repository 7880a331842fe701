/** A mutant that changes nothing anybody could observe. */
export interface Equivalent {
  readonly file: string;
  /** As the table of survivors shows it. */
  readonly change: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "src/store/sqlite/steps/sqlite-finish.ts",
    change: "attempt = ?3` -> (1 = 1 OR (attempt = ?3))`",
    reason: "The same transaction has read the row and compared its attempt, and nobody else writes.",
  },
  {
    file: "src/store/sqlite/steps/sqlite-forget.ts",
    change: "state IN (${states})` -> (1 = 1 OR (state IN (${states})))`",
    reason: "Only a job in one of these states has `ended_at`, which the condition before it requires.",
  },
];
