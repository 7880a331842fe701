import type { JobColumns } from "../job-columns.ts";
import type { JobTransaction } from "./job-transaction.ts";

/** Removes output, error, progress and chunks of the attempts so far. */
export function clearResult(transaction: JobTransaction, row: JobColumns): void {
  transaction.clearChunks(row);
  transaction.change(
    row,
    { chunks: 0, chunk_bytes: 0, cursor: 0 },
    { output: undefined, error: undefined, progress: undefined },
  );
}
