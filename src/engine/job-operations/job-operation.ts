import type { JobFilter } from "../../domain/found-job.ts";
import type { JobName, JobOperationView } from "../../domain/job-operation.ts";
import type { FindPlace } from "../find/find-jobs.ts";

/** The jobs of an operation: those of a filter, or those that are named. */
export interface JobSelection {
  /** Ids of all endpoints whose jobs can be among them. */
  readonly endpoints: readonly string[];
  readonly filter?: JobFilter | undefined;
  readonly jobs?: readonly JobName[] | undefined;
}

/** A job that is still to be acted on. */
export interface LeftJob extends JobName {
  /**
   * Of a retry: when the run was queued that failed. A job with another run has been retried. Undefined if no
   * run had failed when the job was found.
   */
  readonly failedRun?: number | undefined;
}

/** One action on many jobs, as it is stored (decision 0041). */
export interface JobOperation extends JobOperationView {
  readonly account: string;
  /** Its place among those of the account that run: no two have the same. Undefined at its end. */
  readonly name?: string | undefined;
  /** As in `JobSelection`. */
  readonly endpoints: readonly string[];
  /** Its `to` is at most `createdAt`, when the operation begins: no job that it makes or ends is found. */
  readonly filter?: JobFilter | undefined;
  /** Where the next page of the filter begins; undefined when all pages were read. */
  readonly next?: FindPlace | undefined;
  /** The jobs that were named or found, and that are still to be acted on. */
  readonly left: readonly LeftJob[];
}

/** The operation at its end; what it needed to go on is left out. */
export function ended(operation: JobOperation, state: JobOperation["state"], now: number): JobOperation {
  const over = { left: [], filter: undefined, next: undefined, name: undefined };
  return { ...operation, ...over, state, endedAt: now };
}
