import { ForebayError } from "../domain/errors.ts";
import type { JobRecord } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { StoreAccess } from "./verb-needs.ts";

/** The job as it is now. Throws JOB_NOT_FOUND. */
export async function status({ store }: StoreAccess, endpoint: string, id: string): Promise<JobRecord> {
  return found(await store.job(endpoint, id), id);
}

/**
 * The same, after its ttl has been set to end `ttl` ms from now: an unfinished job times out then, the record
 * of a finished one goes then, if its retention does not end before (design, row 4).
 */
export async function statusWithTtl(
  engine: StoreAccess,
  endpoint: string,
  id: string,
  ttl: number,
): Promise<JobRecord> {
  const now = engine.clock.now();
  const [answer] = await engine.store.apply([{ step: "setTtl", endpoint, id, at: now + ttl }], now);
  if (!answer.accepted) throw notFound(id);
  return status(engine, endpoint, id);
}

/**
 * JSON object: what the worker of a job gets of its submission, `s3Config` and `id` left out. Throws
 * JOB_NOT_FOUND.
 */
export async function jobBody({ store }: StoreAccess, endpoint: string, id: string): Promise<Payload> {
  return found(await store.body(endpoint, id), id);
}

/** The job. The error is the same for a job that does not exist, has expired, or is not of the endpoint. */
export function found<Found>(job: Found | undefined, id: string): Found {
  if (job === undefined) throw notFound(id);
  return job;
}

function notFound(id: string): ForebayError {
  return new ForebayError(
    "JOB_NOT_FOUND",
    `There is no job ${id} on this endpoint, or its result has expired.`,
  );
}
