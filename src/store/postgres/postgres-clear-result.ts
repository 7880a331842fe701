import type { JobRow } from "./postgres-job-row.ts";
import type { Unit } from "./postgres-unit.ts";

/** Removes output, error, progress and chunks of the attempts so far. */
export function clearResult(unit: Unit, row: JobRow): void {
  for (const ref of [row.output_ref, row.error_ref, row.progress_ref]) unit.drop(ref);
  unit.clearChunks(row);
  unit.change(row, {
    output: null,
    output_ref: null,
    error: null,
    error_ref: null,
    progress: null,
    progress_ref: null,
    chunks: 0,
    chunk_bytes: 0,
    cursor: 0,
  });
}
