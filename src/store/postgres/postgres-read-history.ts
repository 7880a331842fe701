import type { HistoryFilter, HistoryPlace } from "../../domain/history.ts";
import { SYNC_PREFIX } from "../../domain/ids.ts";
import { versionEnding } from "../../domain/worker.ts";
import { historyPage, historyWalk } from "../history-page.ts";
import { type HistoryColumns, historyRecordOf, tagMark } from "../history-row.ts";
import type { Store } from "../store.ts";
import { array } from "./postgres-arrays.ts";
import type { Parameter, Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

const COLUMNS = `endpoint, id, state, queued_at::float8 AS queued_at, taken_at::float8 AS taken_at,
  ended_at::float8 AS ended_at, worker, attempt, tags, input_bytes::float8 AS input_bytes,
  output_bytes::float8 AS output_bytes, error, body_start,
  (input IS NOT NULL OR input_ref IS NOT NULL) AS keeps_input`;

interface PastRow extends HistoryColumns {
  readonly keeps_input: boolean;
}

/** From below the place $2, $3 down to $4, $5. */
const IN_RANGE = `history.endpoint = given.endpoint
  AND (history.ended_at, history.id) < ($2::bigint, $3::text)
  AND (history.ended_at, history.id) >= ($4::bigint, $5::text)`;

/** Those of the filter, from $7 on. */
const MATCHES = `
  ($7::text[] IS NULL OR state = ANY($7::text[]))
  AND ($8::text IS NULL OR worker = $8)
  AND ($9::text IS NULL OR (right(worker, length($9)) = $9 AND position('-' IN worker) = 0))
  AND ($10::text IS NULL OR position(lower($10::text COLLATE "C") IN lower(error)) > 0)
  AND ($11::text IS NULL OR starts_with(id, $11) OR starts_with(id, '${SYNC_PREFIX}' || $11))
  AND ($12::text IS NULL OR position($12 IN ',' || substr(tags, 2)) > 0)
  AND ($13::bigint IS NULL OR ended_at - taken_at >= $13)`;

/** The highest of the floors of the endpoints. Reads the index and no row. */
function floorOf(condition: string): string {
  return `
    SELECT floor.ended_at::float8 AS "endedAt", floor.id
    FROM unnest($1::text[]) AS given (endpoint), LATERAL (
      SELECT ended_at, id FROM forebay.history WHERE ${IN_RANGE} AND ${condition}
      ORDER BY history.ended_at DESC, history.id DESC LIMIT 1 OFFSET $6::integer - 1
    ) AS floor
    ORDER BY floor.ended_at DESC, floor.id DESC LIMIT 1`;
}

function pageOf(condition: string): string {
  return `
    SELECT page.* FROM unnest($1::text[]) AS given (endpoint), LATERAL (
      SELECT ${COLUMNS} FROM forebay.history WHERE ${IN_RANGE} AND ${condition} AND ${MATCHES}
      ORDER BY history.ended_at DESC, history.id DESC LIMIT $6
    ) AS page
    ORDER BY page.ended_at DESC, page.id DESC LIMIT $6`;
}

const OF_ALL = { floor: floorOf("true"), page: pageOf("true") };

/** `history_failed` has these. */
const OF_FAILED = { floor: floorOf("state <> 'COMPLETED'"), page: pageOf("state <> 'COMPLETED'") };

const SELECT_ONE = `SELECT ${COLUMNS} FROM forebay.history WHERE endpoint = $1 AND id = $2`;

const SELECT_INPUT = "SELECT input, input_ref FROM forebay.history WHERE endpoint = $1 AND id = $2";

/** Goes from one endpoint to the next along the index. */
const SELECT_ENDPOINTS = `
  WITH RECURSIVE found AS (
    (SELECT endpoint FROM forebay.history ORDER BY endpoint LIMIT 1)
    UNION ALL
    SELECT (SELECT endpoint FROM forebay.history WHERE endpoint > found.endpoint ORDER BY endpoint LIMIT 1)
    FROM found WHERE found.endpoint IS NOT NULL
  )
  SELECT endpoint FROM found WHERE endpoint IS NOT NULL`;

/** Reads the records of finished jobs. */
export function postgresReadHistory(
  pool: Pool,
): Pick<Store, "history" | "pastJob" | "pastEndpoints" | "pastInput"> {
  async function rows<Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return orUnavailable(pool.query<Row>(text, parameters));
  }

  return {
    async history(filter, before, limit, looked) {
      const { top, bottom, each, isOfFailed } = historyWalk(filter, before, looked);
      const statements = isOfFailed ? OF_FAILED : OF_ALL;
      const range = (from: HistoryPlace): Parameter[] => {
        return [array(filter.endpoints), top.endedAt, top.id, from.endedAt, from.id];
      };
      const [floor] = await rows<HistoryPlace>(statements.floor, [...range(bottom), each]);
      // One more than `limit`, to see whether another one follows.
      const parameters = [...range(floor ?? bottom), limit + 1, ...conditionsOf(filter)];
      const found = await rows<PastRow>(statements.page, parameters);
      return historyPage(found.map(recordOf), floor, limit);
    },

    async pastJob(endpoint, id) {
      const [row] = await rows<PastRow>(SELECT_ONE, [endpoint, id]);
      return row && recordOf(row);
    },

    async pastInput(endpoint, id) {
      type InputRow = { readonly input: Uint8Array | null; readonly input_ref: string | null };
      const [row] = await rows<InputRow>(SELECT_INPUT, [endpoint, id]);
      return row && payloadOf(row.input, row.input_ref);
    },

    async pastEndpoints() {
      return (await rows<{ endpoint: string }>(SELECT_ENDPOINTS, [])).map(({ endpoint }) => endpoint);
    },
  };
}

function recordOf(row: PastRow) {
  return historyRecordOf(row, row.keeps_input);
}

function conditionsOf({ states, worker, version, error, idPrefix, tag, minMs }: HistoryFilter): Parameter[] {
  return [
    states === undefined ? null : array(states),
    textOf(worker),
    version === undefined ? null : versionEnding(version),
    textOf(error),
    textOf(idPrefix),
    tag === undefined ? null : tagMark(tag),
    minMs ?? null,
  ];
}

/** No text of PostgreSQL has a NUL. */
function textOf(text: string | undefined): string | null {
  return text?.replaceAll("\0", "\uFFFD") ?? null;
}
