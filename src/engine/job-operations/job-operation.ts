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

/** One action on many jobs, as it is stored (decision 0041). */
export interface JobOperation extends JobOperationView {
  readonly account: string;
  /** As in `JobSelection`. */
  readonly endpoints: readonly string[];
  /** Its `to` is at most `createdAt`: no job that the operation makes or ends is found. */
  readonly filter?: JobFilter | undefined;
  /** Where the next page of the filter begins; undefined when all pages were read. */
  readonly next?: FindPlace | undefined;
  /** The jobs that were named or found, and that are still to be acted on. */
  readonly left: readonly JobName[];
}

/** The operation at its end; what it needed to go on is left out. */
export function ended(operation: JobOperation, state: JobOperation["state"], now: number): JobOperation {
  return { ...operation, state, endedAt: now, left: [], filter: undefined, next: undefined };
}
