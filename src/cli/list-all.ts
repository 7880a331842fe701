import type { ServerAccess } from "./server-access.ts";
import { callServer } from "./server-call.ts";

/** How many records one call asks for. */
const LIMIT = 1_000;

/**
 * All records of a list that the server gives page by page: `path` has no `limit` and no `cursor`, and
 * `member` of each answer holds the records.
 */
export async function listAll<Item>(access: ServerAccess, path: string, member: string): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(LIMIT), ...(cursor === undefined ? {} : { cursor }) });
    const page = `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
    const answer: Answered<Item> = await callServer(access, page, `{"${member}":`);
    const items = answer[member];
    if (Array.isArray(items)) all.push(...items);
    cursor = answer.nextCursor;
  } while (cursor !== undefined);
  return all;
}

interface Answered<Item> {
  readonly [member: string]: readonly Item[] | string | undefined;
  readonly nextCursor?: string;
}
