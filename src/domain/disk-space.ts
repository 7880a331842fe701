/** Room on a file system, bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** `low`: somebody should make room. `full`: the server is about to refuse jobs, or does. */
export type DiskState = "ok" | "low" | "full";

const MB = 1_048_576;

/** Of a large disk 10 % would be far more than a server needs to go on for days. */
const LOW_SHARE = 0.1;
const LOW_LIMIT = 5_120 * MB;

/** With less, logs of workers are no longer kept; of a small disk as much as of `low`. */
const FULL_LIMIT = 64 * MB;

/** Below this many free bytes the server warns. */
export function lowBytes({ total }: DiskSpace): number {
  return Math.min(total * LOW_SHARE, LOW_LIMIT);
}

/** Below this many free bytes the server keeps what is left to jobs. */
export function fullBytes({ total }: DiskSpace): number {
  return Math.min(total * LOW_SHARE, FULL_LIMIT);
}

export function diskState(disk: DiskSpace): DiskState {
  if (disk.free < fullBytes(disk)) return "full";
  return disk.free < lowBytes(disk) ? "low" : "ok";
}
