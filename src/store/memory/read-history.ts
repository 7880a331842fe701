import type { HistoryFilter, HistoryPlace } from "../../domain/history.ts";
import { SYNC_PREFIX } from "../../domain/ids.ts";
import { versionOf } from "../../domain/worker.ts";
import { comparePlaces, highestFloor, historyPage, historyWalk } from "../history-page.ts";
import { historyRecordOf } from "../history-row.ts";
import { tagsIn } from "../../domain/tags.ts";
import { keyOf } from "../key-of.ts";
import type { Store } from "../store.ts";
import type { MemoryDatabase, MemoryPast } from "./memory-database.ts";
import { copyIfAny } from "./payloads.ts";
import { firstOf } from "./table.ts";

/** Reads the records of finished jobs. */
export function readHistory({ past, pastByEnd }: MemoryDatabase) {
  return {
    async history(filter, before, limit, looked) {
      const { top, bottom, each, isOfFailed } = historyWalk(filter, before, looked);
      const walked = filter.endpoints.map((endpoint) => {
        const all = pastByEnd.descending(endpoint, (row) => comparePlaces(placeOf(row), top) < 0);
        const meant = isOfFailed ? all.filter(({ state }) => state !== "COMPLETED") : all;
        return firstOf(meant, each, (row) => comparePlaces(placeOf(row), bottom) >= 0);
      });
      const floors = walked.flatMap((rows) => rows.slice(each - 1).map(placeOf));
      const floor = highestFloor(floors);
      const found = walked.flat().filter((row) => matches(row, filter, floor));
      return historyPage(found.map(recordOf), floor, limit);
    },

    async pastJob(endpoint, id) {
      const row = past.get(keyOf(endpoint, id));
      return row && recordOf(row);
    },

    pastInput: async (endpoint, id) => copyIfAny(past.get(keyOf(endpoint, id))?.input),
    pastEndpoints: async () => [...pastByEnd.groups()],
  } satisfies Partial<Store>;
}

function recordOf(row: MemoryPast) {
  return historyRecordOf(row, row.input !== undefined);
}

function placeOf({ ended_at: endedAt, id }: MemoryPast): HistoryPlace {
  return { endedAt, id };
}

function matches(row: MemoryPast, filter: HistoryFilter, floor: HistoryPlace | undefined): boolean {
  const { states, worker, version, error, idPrefix = "", tag, minMs } = filter;
  const ran = row.taken_at === null ? undefined : row.ended_at - row.taken_at;
  return (
    (floor === undefined || comparePlaces(placeOf(row), floor) >= 0) &&
    (states === undefined || states.includes(row.state)) &&
    (worker === undefined || row.worker === worker) &&
    (version === undefined || (row.worker !== null && versionOf(row.worker) === version)) &&
    (error === undefined || lower(row.error ?? "").includes(lower(error))) &&
    (row.id.startsWith(idPrefix) || row.id.startsWith(SYNC_PREFIX + idPrefix)) &&
    (tag === undefined || tagsIn(row.tags).includes(tag)) &&
    (minMs === undefined || (ran !== undefined && ran >= minMs))
  );
}

/** As databases do it: A to Z only. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
