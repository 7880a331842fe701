import { api } from "../../api.ts";
import type { WebhookState } from "../../answers.ts";

/** How many webhooks were counted, and whether there are more. */
export interface Counted {
  readonly count: number;
  readonly isMore: boolean;
}

const PAGE = 1_000;
const PAGES = 10;

/**
 * Counts the webhooks in a state whose jobs ended between `from` (included) and `to` (excluded), both as ISO
 * 8601. Stops at 10,000. Throws ApiError.
 */
export async function countWebhooks(
  endpoint: string,
  { status, from, to }: { status: WebhookState; from: string; to: string },
  signal: AbortSignal,
): Promise<Counted> {
  let count = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const query = { status, cursor, limit: PAGE };
    const { webhooks, nextCursor } = await api.webhooks(endpoint, query, signal);
    count += webhooks.filter(({ createdAt }) => createdAt >= from && createdAt < to).length;
    // Newest first.
    const isPast = webhooks.some(({ createdAt }) => createdAt < from);
    if (isPast || nextCursor === undefined) return { count, isMore: false };
    cursor = nextCursor;
  }
  return { count, isMore: true };
}
