import type { HistoryFilter, HistoryPlace } from "../../domain/history.ts";
import { SYNC_PREFIX } from "../../domain/ids.ts";
import { versionEnding } from "../../domain/worker.ts";
import { comparePlaces, highestFloor, historyPage, historyWalk } from "../history-page.ts";
import { type HistoryColumns, historyRecordOf, tagMark } from "../history-row.ts";
import type { Store } from "../store.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

const COLUMNS = `endpoint, id, state, queued_at, taken_at, ended_at, worker, attempt, tags, input_bytes,
  output_bytes, error, body_start, input IS NOT NULL AS keeps_input`;

interface PastRow extends HistoryColumns {
  readonly keeps_input: number;
}

/** Below the place ?2, ?3 and at the place ?4, ?5 or above. */
const IN_RANGE = "endpoint = cast(?1 AS TEXT) AND (ended_at, id) < (?2, ?3) AND (ended_at, id) >= (?4, ?5)";

type Range = [endpoint: string, before: number, beforeId: string, from: number, fromId: string];

/** Those of the filter, from ?6 on. */
const MATCHES = `
  (?6 IS NULL OR state IN (SELECT value FROM json_each(?6)))
  AND (?7 IS NULL OR worker = ?7)
  AND (?8 IS NULL OR (substr(worker, -length(?8)) = ?8 AND instr(worker, '-') = 0))
  AND (?9 IS NULL OR instr(lower(error), lower(?9)) > 0)
  AND (?10 IS NULL OR substr(id, 1, length(?10)) = ?10
       OR substr(id, 1, ${SYNC_PREFIX.length} + length(?10)) = '${SYNC_PREFIX}' || ?10)
  AND (?11 IS NULL OR instr(',' || substr(tags, 2), ?11) > 0)
  AND (?12 IS NULL OR ended_at - taken_at >= ?12)`;

type Condition = string | number | null;

type Conditions = [
  states: Condition,
  worker: Condition,
  version: Condition,
  error: Condition,
  idPrefix: Condition,
  tag: Condition,
  minMs: Condition,
];

/** Reads the records of finished jobs. */
export function sqliteReadHistory({
  database,
  payloads,
}: Tables): Pick<Store, "history" | "pastJob" | "pastEndpoints" | "pastInput"> {
  const ofAll = walkStatements(database, "history_end", "true");
  const ofFailed = walkStatements(database, "history_failed", "state <> 'COMPLETED'");
  const selectOne = prepare<PastRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${COLUMNS} FROM history WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectInput = prepare<{ input: PayloadColumn | null }, [endpoint: string, id: string]>(
    database,
    "SELECT input FROM history WHERE endpoint = ?1 AND id = ?2",
  );
  const selectEndpoint = prepare<{ endpoint: string }, [after: string]>(
    database,
    "SELECT endpoint FROM history WHERE endpoint > cast(?1 AS TEXT) ORDER BY endpoint LIMIT 1",
  );

  return {
    async history(filter, before, limit, looked) {
      const { top, bottom, each, isOfFailed } = historyWalk(filter, before, looked);
      const { selectFloor, selectPage } = isOfFailed ? ofFailed : ofAll;
      const range = (endpoint: string, from: HistoryPlace) => rangeOf(endpoint, top, from);
      const floors = filter.endpoints.map((endpoint) => selectFloor.get(...range(endpoint, bottom), each));
      const floor = highestFloor(floors.filter((found) => found !== null));
      const conditions = conditionsOf(filter);
      let rows: readonly PastRow[] = [];
      for (const endpoint of filter.endpoints) {
        // One more than `limit`, to see whether another one follows; of these none is below the last one.
        const least = rows[limit];
        const from = least === undefined ? (floor ?? bottom) : placeOf(least);
        const found = selectPage.all(...range(endpoint, from), ...conditions, limit + 1);
        if (found.length > 0) rows = [...rows, ...found].toSorted(newerFirst).slice(0, limit + 1);
      }
      return historyPage(rows.map(recordOf), floor, limit);
    },

    async pastJob(endpoint, id) {
      const row = selectOne.get(endpoint, id);
      return row === null ? undefined : recordOf(row);
    },

    async pastInput(endpoint, id) {
      const input = selectInput.get(endpoint, id)?.input ?? null;
      return input === null ? undefined : payloads.load(input);
    },

    async pastEndpoints() {
      const endpoints: string[] = [];
      // Goes from one endpoint to the next along the index.
      for (let next = selectEndpoint.get(""); next !== null; next = selectEndpoint.get(next.endpoint)) {
        endpoints.push(next.endpoint);
      }
      return endpoints;
    },
  };
}

function walkStatements(database: Database, index: string, condition: string) {
  // Reads the index and no row.
  const selectFloor = prepare<HistoryPlace, [...Range, each: number]>(
    database,
    `SELECT ended_at AS endedAt, id FROM history INDEXED BY ${index}
     WHERE ${IN_RANGE} AND ${condition} ORDER BY ended_at DESC, id DESC LIMIT 1 OFFSET ?6 - 1`,
  );
  const selectPage = prepare<PastRow, [...Range, ...Conditions, limit: number]>(
    database,
    `SELECT ${COLUMNS} FROM history INDEXED BY ${index}
     WHERE ${IN_RANGE} AND ${condition} AND ${MATCHES} ORDER BY ended_at DESC, id DESC
     LIMIT cast(?13 AS INTEGER)`,
  );
  return { selectFloor, selectPage };
}

function rangeOf(endpoint: string, top: HistoryPlace, from: HistoryPlace): Range {
  return [endpoint, top.endedAt, top.id, from.endedAt, from.id];
}

function placeOf({ ended_at: endedAt, id }: PastRow): HistoryPlace {
  return { endedAt, id };
}

function newerFirst(one: PastRow, other: PastRow): number {
  return comparePlaces(placeOf(other), placeOf(one));
}

function recordOf(row: PastRow) {
  return historyRecordOf(row, row.keeps_input === 1);
}

function conditionsOf({ states, worker, version, error, idPrefix, tag, minMs }: HistoryFilter): Conditions {
  return [
    states === undefined ? null : JSON.stringify(states),
    worker ?? null,
    version === undefined ? null : versionEnding(version),
    error ?? null,
    idPrefix ?? null,
    tag === undefined ? null : tagMark(tag),
    minMs ?? null,
  ];
}
