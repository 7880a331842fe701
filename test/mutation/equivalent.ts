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

const RESET_BEFORE = "Each step that puts a job into the queue has set it so, and nothing changes it there.";

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
    file: "src/engine/records/keys.ts",
    line: "(a.createdAt ?? 0)",
    change: "1 -> 1 + 1",
    reason: "Only the sign of what a comparison answers counts.",
  },
  {
    file: "src/engine/records/keys.ts",
    line: "(a.createdAt ?? 0)",
    change: "0 -> 0 + 1",
    reason: "Keys without a time come before all others; no key is from the first millisecond of 1970.",
  },
  {
    file: "src/engine/follow-reading.ts",
    line: "unlisten();",
    change: "unlisten(); -> (nothing)",
    reason: "To close a wait twice does nothing; the listener goes with the signal of its request.",
  },
  {
    file: "src/engine/live-edge.ts",
    line: "this.#forget();",
    change: "this.#forget(); -> (nothing)",
    reason: "What is held is not used before the next reading, which forgets it. It saves memory.",
  },
  {
    file: "src/engine/records/release-source.ts",
    line: "fingerprints.set(template, known);",
    change: "fingerprints.set(template, known); -> (nothing)",
    reason: "Without it the same fingerprint is computed again.",
  },
  {
    file: "src/engine/records/releases.ts",
    line: "endpoint?.templateId",
    change: '"" -> "mutated"',
    reason: "No template has either id.",
  },
  {
    file: "src/store/job-steps/chunks.ts",
    line: "chunks.length > 0",
    change: "chunks.length > 0 -> chunks.length >= 0",
    reason: "Of no chunks none is written; the condition saves work.",
  },
  {
    file: "src/store/job-steps/worker-reports.ts",
    line: "row.proved && row.denials === 0",
    change: "(row.proved && row.denials === 0 && !getsLease) || row.taken_at === n… -> row.taken_at === null",
    reason: "What is proved already is written with the values that it has; the condition saves work.",
  },
  {
    file: "src/store/job-steps/requeue.ts",
    line: "output: undefined",
    change: "output: undefined -> (nothing)",
    reason: "Only a COMPLETED job has an output, and it cannot be retried or given back.",
  },
  {
    file: "src/store/job-steps/end-job.ts",
    line: "isStopped && isTerminal(row.state)",
    change: "isStopped && isTerminal(row.state) -> isStopped",
    reason: "A job that its worker may not end has ended: a report can end every running job.",
  },
  {
    file: "src/store/job-steps/chunks.ts",
    line: "unreadFrom < row.cursor",
    change: "unreadFrom < row.cursor -> unreadFrom <= row.cursor",
    reason: "If both are equal, the cursor is written with the value that it has.",
  },
  {
    file: "src/store/job-steps/chunks.ts",
    line: "next > row.cursor",
    change: "from === undefined && next > row.cursor -> from === undefined",
    reason: "Without new chunks the cursor is written with the value that it has; the condition saves work.",
  },
  {
    file: "src/store/job-steps/take.ts",
    line: "proved: false",
    change: "proved: false -> (nothing)",
    reason: RESET_BEFORE,
  },
  {
    file: "src/store/job-steps/take.ts",
    line: "denials: 0",
    change: "denials: 0 -> (nothing)",
    reason: RESET_BEFORE,
  },
  {
    file: "src/store/sqlite/steps/sqlite-forget.ts",
    line: "ended_at IS NOT NULL",
    change: "state IN (${states})` -> (1 = 1 OR (state IN (${states})))`",
    reason: "Only a job in one of these states has `ended_at`, which the condition before it requires.",
  },
];
