/** A mutant that changes nothing anybody could observe. */
export interface Equivalent {
  readonly file: string;
  /** A part of the line. */
  readonly line: string;
  /** As the table of survivors shows it. */
  readonly change: string;
  readonly reason: string;
}

const UNREACHABLE = "The index is always within the list; the compiler cannot know that.";

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "src/domain/histogram.ts",
    line: "BUCKET_BOUNDS[bucket - 1] ?? 0",
    change: "0 -> 0 + 1",
    reason: `${UNREACHABLE} The lower end of the first bucket is tested.`,
  },
  {
    file: "src/domain/histogram.ts",
    line: "histogram.buckets[bucket] = (histogram.buckets[bucket] ?? 0)",
    change: "0 -> 0 + 1",
    reason: UNREACHABLE,
  },
  {
    file: "src/domain/figures.ts",
    line: "pairs[at] ?? 0",
    change: "0 -> 0 + 1",
    reason: `${UNREACHABLE} The beginning of the loop is tested.`,
  },
  { file: "src/domain/ids.ts", line: "HEX[byte]", change: '"" -> "mutated"', reason: UNREACHABLE },
  {
    file: "src/domain/worker.ts",
    line: "worker.split(SEPARATOR, 1)",
    change: '"" -> "mutated"',
    reason: "`split` answers at least one part.",
  },
  {
    file: "src/domain/worker.ts",
    line: "worker.split(SEPARATOR, 1)",
    change: "1 -> 1 + 1",
    reason: "Only the first part is used; the limit saves work.",
  },
  {
    file: "src/domain/trace-context.ts",
    line: "match ?? []",
    change: '"" -> "mutated"',
    reason: "Without a match the version is `ff`, which ends the function before the others are used.",
  },
  {
    file: "src/domain/trace-context.ts",
    line: "toString(16)",
    change: "16 -> 16 + 1",
    reason: "The number is at most 3, and two digits are two flags in either base.",
  },
  {
    file: "src/store/sqlite/steps/sqlite-finish.ts",
    line: "UPDATE job",
    change: "attempt = ?3` -> (1 = 1 OR (attempt = ?3))`",
    reason: "The same transaction has read the row and compared its attempt, and nobody else writes.",
  },
  {
    file: "src/store/sqlite/steps/sqlite-forget.ts",
    line: "ended_at IS NOT NULL",
    change: "state IN (${states})` -> (1 = 1 OR (state IN (${states})))`",
    reason: "Only a job in one of these states has `ended_at`, which the condition before it requires.",
  },
];
