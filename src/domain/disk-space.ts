/** The free and total space of a file system, bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** `low`: somebody should make room. `full`: the server refuses jobs, or will do so soon. */
export type DiskState = "ok" | "low" | "full";

const MB = 1_048_576;

/** On a large disk, 10 % is far more than a server needs for days. */
const LOW_SHARE = 0.1;
const LOW_LIMIT = 5_120 * MB;

/** With less free space, logs of workers are not kept. On a small disk this is as much as `low`. */
const FULL_LIMIT = 64 * MB;

/** Below this many free bytes the server warns. */
export function lowBytes({ total }: DiskSpace): number {
  return Math.min(total * LOW_SHARE, LOW_LIMIT);
}

/** Below this many free bytes, the server keeps the rest for jobs. */
export function fullBytes({ total }: DiskSpace): number {
  return Math.min(total * LOW_SHARE, FULL_LIMIT);
}

export function diskState(disk: DiskSpace): DiskState {
  if (disk.free < fullBytes(disk)) return "full";
  return disk.free < lowBytes(disk) ? "low" : "ok";
}
