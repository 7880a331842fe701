import { ForebayError } from "../domain/errors.ts";
import type { WithJobIds } from "./job-ids.ts";
import type { StoreAccess, WithStop } from "./verb-needs.ts";

/** Jobs that one step removes: more would delay other steps. */
const SLICE = 1_000;

/**
 * Removes all jobs that wait now, and answers how many. Running jobs stay (spec 4.A.5). Each slice has its
 * own commit, and other requests run in between. Throws SHUTTING_DOWN if the server stops before the last
 * slice.
 */
export async function purge(engine: StoreAccess & WithJobIds & WithStop, endpoint: string): Promise<number> {
  const position = await lastPosition(engine, endpoint);
  let removed = 0;
  for (;;) {
    const count = await purgeSlice(engine, endpoint, position);
    removed += count;
    if (count < SLICE) return removed;
    if (engine.isStopping) {
      const sentence = `The server is stopping. It removed ${removed} jobs. Purge again for the others.`;
      throw new ForebayError("SHUTTING_DOWN", sentence);
    }
  }
}

/** Removes the first waiting jobs. A background job removes the others. */
export async function purgeFirst(engine: StoreAccess & WithJobIds, endpoint: string): Promise<void> {
  await purgeSlice(engine, endpoint, await lastPosition(engine, endpoint));
}

/**
 * The place in the queue up to which jobs wait now. If the clock of another server is ahead, its jobs can
 * come after the place that this server would give now.
 */
async function lastPosition(
  { store, clock, jobIds }: StoreAccess & WithJobIds,
  endpoint: string,
): Promise<number> {
  const position = jobIds.nextPosition(clock.now());
  const [last] = await store.unfinished(endpoint, "IN_QUEUE", Number.MAX_SAFE_INTEGER, 1);
  return Math.max(position, last?.position ?? 0);
}

async function purgeSlice(
  { store, clock }: StoreAccess,
  endpoint: string,
  position: number,
): Promise<number> {
  const [answer] = await store.apply([{ step: "purge", endpoint, position, limit: SLICE }], clock.now());
  return answer.ids.length;
}
