import { eventsOf } from "../history/job-history.ts";
import type { TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import type { Counted } from "./counters.ts";
import { askStatus, endpointCounters, type Load, readAll } from "./load-client.ts";

/** By then everything must have ended once nothing is killed any more, ms. */
const LIMIT = 60_000;

/** The counters of all endpoints when nothing waits or runs any more. */
export function countersOfEnded(load: Load): Promise<Counted[]> {
  return until(
    "all jobs have ended",
    async () => {
      const counted = await Promise.all(load.endpoints.map((endpoint) => endpointCounters(load, endpoint)));
      return counted.every(({ inQueue, inProgress }) => inQueue + inProgress === 0) && counted;
    },
    LIMIT,
  );
}

/** Resolves when no webhook is to be delivered any more. */
export async function webhooksDelivered(client: TestClient, endpoints: readonly string[]): Promise<void> {
  for (const endpoint of endpoints) {
    const path = `/v1/endpoints/${endpoint}/webhooks?status=PENDING`;
    const isDelivered = async () => (await client.get(path)).json.webhooks.length === 0;
    await until(`all webhooks of ${endpoint} are delivered`, isDelivered, LIMIT);
  }
}

/** Calls under way at the same time. */
const READERS = 8;

/** Reads the record of each job, and the chunks of those that sent some; how many are in each state. */
export async function lookAtAll(load: Load): Promise<Record<string, number>> {
  const { events } = load.recorder;
  const known = [...load.jobs, ...eventsOf(events, "handOut")];
  const jobs = new Map(known.map(({ id, endpoint }) => [id, { id, endpoint }]));
  const withChunks = new Set(eventsOf(events, "chunk").map(({ id }) => id));
  const found: Record<string, number> = {};
  // The readers share one iterator, so each job is read by one of them.
  const rest = jobs.values();
  const reader = async (): Promise<void> => {
    for (const job of rest) {
      const state = (await askStatus(load, job, true))?.status ?? "gone";
      found[state] = (found[state] ?? 0) + 1;
      if (state === "COMPLETED" && withChunks.has(job.id)) await readAll(load, job);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return found;
}
