import type { Faults } from "./faults.ts";
import { isEnd } from "./history.ts";
import type { JobHistory } from "./job-history.ts";

/**
 * Each end of a job with a webhook calls its receiver, with the record of that end, and the same at each
 * attempt; nothing else calls it.
 */
export function wrongWebhooks({ id, submission, looks, webhooks, changes }: JobHistory): Partial<Faults> {
  const told = new Set(webhooks.map(({ record }) => record));
  const ends = new Map(
    looks.flatMap(({ record, state }) => (record !== undefined && isEnd(state) ? [[record, state]] : [])),
  );
  const untold = submission.hasWebhook === true ? [...ends].filter(([record]) => !told.has(record)) : [];
  const foreign = webhooks.filter(({ state }) => submission.hasWebhook !== true || !isEnd(state));
  // While a clock waits for that of the database, two runs can end with one record.
  const ofRetried =
    1 + changes.filter(({ kind, outcome }) => kind === "retry" && outcome !== "refused").length;
  return {
    lost: untold.map(([, state]) => `job ${id} was ${state}, and no webhook told so`),
    unexpected: foreign.slice(0, 1).map(({ state }) => `a webhook told that job ${id} is ${state}`),
    duplicated: [
      ...[...Map.groupBy(webhooks, ({ webhookId }) => webhookId)].flatMap(([webhookId, calls]) =>
        new Set(calls.map(({ record }) => record)).size > 1 ? [`webhook ${webhookId} has two bodies`] : [],
      ),
      ...[...Map.groupBy(webhooks, ({ record }) => record)].flatMap(([, calls]) =>
        new Set(calls.map(({ webhookId }) => webhookId)).size > (calls.some(isLast) ? 1 : ofRetried)
          ? [`one end of job ${id} is told by two webhooks`]
          : [],
      ),
    ],
  };
}

/** A job in this state cannot be retried. */
function isLast({ state }: { readonly state: string }): boolean {
  return state === "COMPLETED" || state === "CANCELLED";
}
