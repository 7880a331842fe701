import { isTerminal } from "../../src/domain/transitions.ts";
import type { History } from "./history.ts";
import type { JobHistory } from "./job-history.ts";

/**
 * Promise P19: each end of a job with a webhook calls its receiver, with the record of that end, the same at
 * each attempt; nothing else calls it.
 */
export function wrongWebhooks({ webhooks }: History, jobs: ReadonlyMap<string, JobHistory>): string[] {
  const byId = Map.groupBy(webhooks, ({ webhookId }) => webhookId);
  const ofJob = Map.groupBy(webhooks, ({ id }) => id);
  const changed = [...byId].flatMap(([webhookId, calls]) =>
    new Set(calls.map(({ record }) => record)).size > 1 ? [`${webhookId} came with two bodies`] : [],
  );
  const foreign = [...ofJob].flatMap(([id, [call]]) => {
    if (jobs.get(id)?.submission.hasWebhook !== true) return [`a webhook came of ${id}, which has none`];
    return call === undefined || isTerminal(call.state) ? [] : [`a webhook came of ${id} in ${call.state}`];
  });
  const missing = [...jobs].flatMap(([id, { submission, sightings }]) => {
    if (submission.hasWebhook !== true) return [];
    const told = new Set(ofJob.get(id)?.map(({ record }) => record));
    const ends = new Map(sightings.flatMap(({ record, state }) => (record ? [[record, state]] : [])));
    return [...ends].flatMap(([record, state]) =>
      told.has(record) ? [] : [`${id} was ${state}, and no webhook told so`],
    );
  });
  return [...changed, ...foreign, ...missing];
}
