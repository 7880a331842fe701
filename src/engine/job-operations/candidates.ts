import { ForebayError } from "../../domain/errors.ts";
import type { FoundJob } from "../../domain/found-job.ts";
import type { JobAction, JobName, SkipReason } from "../../domain/job-operation.ts";
import { isUnfinished, type JobState } from "../../domain/transitions.ts";
import { oneJob } from "../find/one-job.ts";
import type { RecordAccess } from "../records/configuration.ts";
import type { LeftJob } from "./job-operation.ts";

/** A job of an operation; or why it cannot be one. */
export type Candidate = FoundJob | SkipReason;

/** The job as it is now. */
export async function candidateOf(engine: RecordAccess, { endpoint, id }: JobName): Promise<Candidate> {
  const known = engine.configuration.get("endpoint", endpoint);
  if (known === undefined || known.deletedAt !== undefined) return "ENDPOINT_NOT_FOUND";
  try {
    return await oneJob(engine, [endpoint], id);
  } catch (error) {
    if (error instanceof ForebayError && error.code === "JOB_NOT_FOUND") return "JOB_NOT_FOUND";
    throw error;
  }
}

/** What an operation keeps of a job, as it was found. */
export function leftJob(
  action: JobAction,
  { endpoint, id }: JobName,
  found: Pick<FoundJob, "state" | "queuedAt"> | undefined,
): LeftJob {
  const hasFailed = action === "retry" && found !== undefined && isRetryable(found.state);
  return hasFailed ? { endpoint, id, failedRun: found.queuedAt } : { endpoint, id };
}

/** Why the action can do nothing for the job; undefined if it can. */
export async function skipReason(
  { store }: RecordAccess,
  action: JobAction,
  job: Candidate,
): Promise<SkipReason | undefined> {
  if (typeof job === "string") return job;
  const { endpoint, id, state, hasInput } = job;
  switch (action) {
    case "cancel":
      return isUnfinished(state) ? undefined : "ALREADY_ENDED";
    case "retry":
      if (!isRetryable(state)) return "NOT_RETRYABLE";
      return (await store.job(endpoint, id)) === undefined ? "JOB_NOT_FOUND" : undefined;
    case "resubmit":
      if (hasInput || (await store.body(endpoint, id)) !== undefined) return undefined;
      return "INPUT_NOT_KEPT";
  }
}

function isRetryable(state: JobState): boolean {
  return state === "FAILED" || state === "TIMED_OUT";
}
