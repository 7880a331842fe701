import { ForebayError } from "../../domain/errors.ts";
import type { Payload } from "../../domain/payload.ts";
import { errorOf } from "../timeline.ts";
import type { StoreAccess } from "../verb-needs.ts";
import { type FoundJob, foundLive, foundPast } from "../../domain/found-job.ts";
import { inSlices } from "./unfinished-jobs.ts";

/**
 * The job with this id on one of the endpoints: as the queue has it, or else as the history has it. Throws
 * JOB_NOT_FOUND.
 */
export async function oneJob(
  engine: StoreAccess,
  endpoints: readonly string[],
  id: string,
): Promise<FoundJob> {
  const slices = inSlices(endpoints, async (endpoint) => {
    const job = await engine.store.job(endpoint, id);
    if (job === undefined) {
      const record = await engine.store.pastJob(endpoint, id);
      return record && foundPast(record);
    }
    return foundLive(job, job.error && (await errorOf(engine, job.error)));
  });
  for await (const slice of slices) {
    const job = slice.find((one) => one !== undefined);
    if (job !== undefined) return job;
  }
  throw jobNotFound(id);
}

/**
 * JSON object: what the worker of such a job got of its submission. Throws JOB_NOT_FOUND, and INPUT_NOT_KEPT
 * if only the record of the job is kept.
 */
export async function bodyOfOne(
  engine: StoreAccess,
  endpoints: readonly string[],
  id: string,
): Promise<Payload> {
  const { endpoint } = await oneJob(engine, endpoints, id);
  const body = (await engine.store.body(endpoint, id)) ?? (await engine.store.pastInput(endpoint, id));
  if (body === undefined) {
    throw new ForebayError(
      "INPUT_NOT_KEPT",
      `The input of job ${id} is not kept. Set historyInputs of its endpoint to "all" to keep each input.`,
    );
  }
  return body;
}

/** Not there, and not yours, are one. */
export function jobNotFound(id: string): ForebayError {
  return new ForebayError("JOB_NOT_FOUND", `There is no job ${id}.`);
}
