import type { HistoryFilter, HistoryPage, HistoryPlace, HistoryRecord } from "../domain/history.ts";

/**
 * How the pages of the history are found in each store. Each endpoint is looked through from the top down to
 * its floor, the last of `each` records. The page ends at the highest floor: above it, all are known.
 */
export interface HistoryWalk {
  /** Records are below this place, and above the floor or at it. */
  readonly top: HistoryPlace;
  readonly bottom: HistoryPlace;
  /** Records of an endpoint that are looked through. */
  readonly each: number;
  /** Only records of jobs that did not complete, and others have no error: there is an index of them. */
  readonly isOfFailed: boolean;
}

/** So many records of each of many endpoints are looked through: a few may have nearly all of them. */
const FEWEST = 50;

/** Above every place: no id begins with this. */
const ABOVE: HistoryPlace = { endedAt: Number.MAX_SAFE_INTEGER, id: "~" };

export function historyWalk(
  filter: HistoryFilter,
  before: HistoryPlace | undefined,
  looked: number,
): HistoryWalk {
  const { endpoints, states, error, from = 0, to } = filter;
  const end = to === undefined ? ABOVE : { endedAt: to, id: "" };
  return {
    top: before !== undefined && comparePlaces(before, end) < 0 ? before : end,
    bottom: { endedAt: from, id: "" },
    each: Math.max(Math.ceil(looked / Math.max(1, endpoints.length)), Math.min(FEWEST, looked), 1),
    isOfFailed: error !== undefined || states?.includes("COMPLETED") === false,
  };
}

export function comparePlaces(one: HistoryPlace, other: HistoryPlace): number {
  if (one.endedAt !== other.endedAt) return one.endedAt - other.endedAt;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/** The highest of the floors of the endpoints; undefined if all of them are looked through to the bottom. */
export function highestFloor(floors: readonly HistoryPlace[]): HistoryPlace | undefined {
  return floors.toSorted(comparePlaces).at(-1);
}

/** The page of the records that were found above the floor: of each endpoint the first `limit + 1`. */
export function historyPage(
  found: readonly HistoryRecord[],
  floor: HistoryPlace | undefined,
  limit: number,
): HistoryPage {
  const sorted = found.toSorted((one, other) => comparePlaces(other, one));
  const records = sorted.slice(0, limit);
  const last = records.at(-1);
  const next = sorted.length > limit && last !== undefined ? placeOfRecord(last) : floor;
  return { records, next };
}

function placeOfRecord({ endedAt, id }: HistoryRecord): HistoryPlace {
  return { endedAt, id };
}
