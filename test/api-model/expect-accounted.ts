import { expect } from "bun:test";
import type { ModelSession } from "./model-session.ts";
import { expectRecord } from "./client-acts.ts";

/**
 * At the end of a sequence: every job that was ever acknowledged is as the model has it, or gone as there;
 * the counters are what a count of the jobs gives; and nothing is wrong with what is stored.
 */
export async function expectAccounted(session: ModelSession): Promise<void> {
  const { model, server } = session;
  for (const id of session.ids) {
    const job = model.jobs.get(id);
    expectRecord(await session.send({ method: "GET", path: `/status/${id}` }), job);
    if (job === undefined || job.chunks.length === 0) continue;
    const chunks = await session.send({ method: "GET", path: `/stream/${id}?from=0` });
    expect(chunks.text).toBe(`[${job.chunks.join(",")}]`);
  }
  const { json } = await session.send({ method: "GET", path: "/requests?limit=1000" });
  const present = session.ids.filter((id) => model.jobs.has(id)).toReversed();
  expect(json.requests.map((job: { id: string }) => job.id)).toEqual(present);
  const queued = model.in("IN_QUEUE").length;
  expect(await server.engine.store.counts(server.endpoint)).toEqual({
    ...model.events,
    queued,
    queuedLowPriority: 0,
    queuedBytes: queued === 0 ? 0 : expect.any(Number),
    running: model.in("IN_PROGRESS").length,
  });
  expect(await server.end()).toEqual([]);
}
