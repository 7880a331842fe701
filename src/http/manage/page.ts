import { ForebayError } from "../../domain/errors.ts";
import { integer, plainText, type QueryOf, type QueryParameter } from "../parameters.ts";

/** How many records a page has. */
const LIMIT = { default: 100, max: 1_000 };

const CURSOR: QueryParameter<string | undefined> = {
  ...plainText("The `nextCursor` of the page before."),
  read: (query, name) => placeIn(query.text(name)),
};

/** The parameters of a list with pages. */
export const PAGE = {
  limit: integer(1, LIMIT.max, `How many at most. Default: ${LIMIT.default}.`),
  cursor: CURSOR,
};

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined if there is none. */
  readonly nextCursor: string | undefined;
}

/**
 * The page of a list that `limit` and `cursor` of the query ask for. `placeOf` gives each item a unique text,
 * and the list is sorted by these. So a page begins at the right place, even if items were deleted meanwhile.
 */
export function pageOf<Item>(
  { limit = LIMIT.default, cursor: after }: QueryOf<typeof PAGE>,
  list: readonly Item[],
  placeOf: (item: Item) => string,
): Page<Item> {
  const left = after === undefined ? list : list.filter((item) => placeOf(item) > after);
  const items = left.slice(0, limit);
  const last = items.at(-1);
  const hasMore = left.length > limit && last !== undefined;
  return { items, nextCursor: hasMore ? Buffer.from(placeOf(last)).toString("base64url") : undefined };
}

/** A text that sorts by number, then by id. */
export function placeBy(number: number, id: string | number): string {
  return `${String(number).padStart(16, "0")}.${id}`;
}

function placeIn(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const place = Buffer.from(cursor, "base64url").toString();
  if (/^[0-9]{16}\.[A-Za-z0-9_.-]*$/.test(place)) return place;
  throw new ForebayError("INVALID_QUERY", "cursor is invalid; must be a nextCursor of this path.");
}
