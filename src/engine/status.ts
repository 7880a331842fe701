import { ForebayError } from "../domain/errors.ts";
import type { JobRecord } from "../domain/job.ts";
import type { Engine } from "./engine.ts";

/** The job as it is now. Throws JOB_NOT_FOUND. */
export async function status(engine: Engine, endpoint: string, id: string): Promise<JobRecord> {
  return found(await engine.store.job(endpoint, id), id);
}

/**
 * The same, after its ttl has been set to end `ttl` ms from now: an unfinished job times out then, the record
 * of a finished one goes then, if its retention does not end before (design, row 4).
 */
export async function statusWithTtl(
  engine: Engine,
  endpoint: string,
  id: string,
  ttl: number,
): Promise<JobRecord> {
  const now = engine.clock.now();
  const [answer] = await engine.store.apply([{ step: "setTtl", endpoint, id, at: now + ttl }], now);
  if (!answer.accepted) throw notFound(id);
  return status(engine, endpoint, id);
}

/** The job, or the error that there is none: not there, expired and not yours are one. */
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
