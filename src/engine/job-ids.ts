import { jobId, positionAt } from "../domain/ids.ts";

export interface JobIds {
  /** The next place in the queue: later than all before it, also within one millisecond. */
  nextPosition(now: number): number;
  /** The id of a new job at this place. */
  idAt(position: number, kind: "run" | "runsync"): string;
}

const RANDOM_BYTES_PER_ID = 8;

/**
 * Gives out positions and ids. Random bytes are drawn for many ids at once: one draw costs more than an id.
 */
export function jobIds(randomFill: (bytes: Uint8Array<ArrayBuffer>) => void): JobIds {
  const pool = new Uint8Array(512 * RANDOM_BYTES_PER_ID);
  let used = pool.length;
  let lastPosition = 0;

  function random(): Uint8Array {
    if (used === pool.length) {
      randomFill(pool);
      used = 0;
    }
    used += RANDOM_BYTES_PER_ID;
    return pool.subarray(used - RANDOM_BYTES_PER_ID, used);
  }

  return {
    nextPosition(now) {
      lastPosition = Math.max(lastPosition + 1, positionAt(now));
      return lastPosition;
    },
    idAt(position, kind) {
      return jobId(kind, position, random());
    },
  };
}

export interface WithJobIds {
  readonly jobIds: JobIds;
}
