import type { JobResult } from "../../domain/job.ts";
import type { GivenBackAttempt } from "../../domain/late-result.ts";
import type { Payload } from "../../domain/payload.ts";
import type { QueueFill } from "../../domain/queue-cap.ts";
import type { AttemptTexts } from "../attempt-text.ts";
import type { EarlierSubmission } from "../enqueue-step.ts";
import type { JobColumns, NewJob } from "../job-columns.ts";
import type { Step, StepAnswers } from "../steps.ts";
import type { Signal, SignalDetails } from "../signals.ts";
import type { Counts } from "../store.ts";
import type { Contact } from "./contact.ts";

/**
 * What the rules of job steps see of a store: the rows of one transaction. Every change is part of the
 * transaction, and later steps of it see the change. The store finds its rows, and writes them, in its own
 * way.
 */
export interface JobTransaction {
  hasEndpoint(endpoint: string): boolean;
  /** What waits; a store may know it only where the step has a cap. */
  fill(endpoint: string): QueueFill;

  find(endpoint: string, id: string): JobColumns | undefined;
  /**
   * The first `count` waiting jobs that `may` be taken, in the order of hand-outs. No job may whose time is
   * over by `now`: a store that must read them first can leave these out.
   */
  waiting(
    endpoint: string,
    count: number,
    may: (job: JobColumns) => boolean,
    now: number,
  ): readonly JobColumns[];
  /** Jobs that the worker holds, in the order of the queue. */
  heldBy(endpoint: string, worker: string): readonly JobColumns[];
  /** Throws where a job has this id already. */
  insert(job: NewJob, submission: Submission): void;
  /** The job with the changes. A payload that is named is replaced: by nothing where it is undefined. */
  change(job: JobColumns, columns: Partial<JobColumns>, payloads?: JobPayloads): JobColumns;
  /** What the worker gets of a waiting job. */
  submission(job: JobColumns): Submission;
  /** A store may know it only of a job that is drained. */
  result(job: JobColumns): JobResult;

  /** Adds the chunks behind those of the job. */
  append(job: JobColumns, chunks: readonly Payload[]): void;
  /** From number `start` on: at most `limit`, and none more once they have `byteLimit` bytes together. */
  chunks(job: JobColumns, start: number, limit: number, byteLimit: number): readonly Payload[];
  /** Removes all chunks of the job; its columns are changed by the caller. */
  clearChunks(job: JobColumns): void;

  /** Keeps what is said of an attempt, unless it is known already. */
  keepAttempt(job: JobColumns, number: number, said: Partial<AttemptTexts>): void;
  /** The attempts of the job that are over, the oldest first. */
  givenBack(job: JobColumns): readonly GivenBackAttempt[];
  /** An attempt of `givenBack` has ended otherwise. */
  replaceAttempt(job: JobColumns, number: number, ended: string): void;

  earlier(endpoint: string, key: string): KnownSubmission | undefined;
  remember(key: NewKey): void;
  contact(contact: Contact): void;
  count(endpoint: string, change: Partial<Counts>): void;
  signal(
    event: Signal["event"],
    endpoint: string,
    id: string,
    worker: string | undefined,
    details?: SignalDetails,
  ): void;
  /** Removes the job from the history, because it runs again. */
  removePast(job: JobColumns): void;
  /** Writes the webhook of a job that has just ended, with its record, if the job has one. */
  deliver(ended: JobColumns): void;
}

export interface Submission {
  readonly body: Payload;
  readonly secret: Payload | undefined;
}

/** The payloads that a job gets after its submission. */
export type JobPayloads = Partial<JobResult>;

/** What an Idempotency-Key has made. */
export interface KnownSubmission extends EarlierSubmission {
  readonly until: number;
}

export interface NewKey extends KnownSubmission {
  readonly endpoint: string;
  readonly key: string;
}

/**
 * Decides a step about jobs, and makes its changes in the transaction. Throwing undoes the whole call that
 * the step belongs to.
 */
export type JobStepRunner<Kind extends Step["step"]> = (
  step: Extract<Step, { step: Kind }>,
  now: number,
  transaction: JobTransaction,
) => StepAnswers[Kind];
