import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { cancel, type Cancelling } from "../cancel.ts";
import type { WithJobIds } from "../job-ids.ts";
import { inSlices } from "../paced.ts";
import type { WithStop } from "../verb-needs.ts";
import type { RecordAccess } from "./configuration.ts";
import { purge, purgeFirst } from "../purge.ts";
import { requests } from "../requests.ts";
import { endpointOf } from "./find-endpoint.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";
import { deleteOwnTemplates } from "./own-template.ts";
import { deleteReleases } from "./releases.ts";

/** What deleting an endpoint needs. */
export interface EndpointDeletion extends RecordChanges, Cancelling, WithJobIds, WithStop {}

/**
 * Deletes an endpoint: from now on only its workers see it. Waiting jobs are removed. Running jobs may end
 * within the drain grace, and calls that wait for one still get its result. Throws ENDPOINT_NOT_FOUND.
 */
export async function deleteEndpoint(engine: EndpointDeletion, account: string, id: string): Promise<void> {
  const endpoint = endpointOf(engine, account, id);
  if (await removed(engine, id)) return;
  const deletedAt = engine.clock.now();
  try {
    await putRecord(engine, "endpoint", { ...endpoint, isPaused: true, deletedAt });
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
    return deleteEndpoint(engine, account, id);
  }
  // The background job empties a long queue, so that the request does not wait for it.
  await purgeFirst(engine, id);
}

/**
 * Continues the deletion of each endpoint that is being deleted. A background job calls it again and again.
 */
export async function drainDeleted(engine: EndpointDeletion): Promise<void> {
  for (const { id, deletedAt } of engine.configuration.all("endpoint")) {
    if (deletedAt !== undefined) await drain(engine, id, deletedAt);
  }
}

async function drain(
  engine: EndpointDeletion,
  id: string,
  deletedAt: NonNullable<Endpoint["deletedAt"]>,
): Promise<void> {
  // Jobs that another server accepted a moment ago, or that came back from a lost worker.
  await purge(engine, id);
  if (await removed(engine, id)) return;
  if (engine.clock.now() < deletedAt + engine.durations.drainGrace) return;
  // The next step removes it, so its workers are first asked to stop.
  const { jobs } = await requests(engine, {
    endpoint: id,
    state: "IN_PROGRESS",
    from: undefined,
    limit: 1_000,
  });
  await inSlices(jobs, (job) => cancel(engine, id, job.id));
}

/**
 * Removes the endpoint with its worker tokens, releases, webhook secret and own template, unless it has
 * unfinished jobs. Webhooks that are not delivered yet are given up. A worker with GPUs keeps its token until
 * the fleet has ended it: only then are the GPUs free.
 */
async function removed(engine: RecordAccess, id: string): Promise<boolean> {
  const now = engine.clock.now();
  const [answer] = await engine.store.apply([{ step: "remove", kind: "endpoint", id }], now);
  if (answer.outcome === "inUse") return false;
  const withGpus = new Set((await engine.store.allocations()).map(({ worker }) => worker));
  const tokens = engine.configuration.all("worker").filter((token) => {
    return token.endpoint === id && !withGpus.has(token.id);
  });
  await inSlices(tokens, (token) =>
    engine.store.apply([{ step: "remove", kind: "worker", id: token.id }], now),
  );
  await engine.store.apply([{ step: "remove", kind: "webhookSecret", id }], now);
  await deleteReleases(engine, id);
  await deleteOwnTemplates(engine, id);
  await engine.configuration.refresh();
  return true;
}
