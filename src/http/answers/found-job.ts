import { z } from "zod";
import type { Endpoint } from "../../domain/endpoint.ts";
import { submittedAt } from "../../domain/job-places.ts";
import { versionOf } from "../../domain/worker.ts";
import { type FoundJob, ranFor } from "../../domain/found-job.ts";
import { JOB_ID } from "./job.ts";
import {
  type Answered,
  count,
  dateText,
  id,
  jobState,
  moment,
  nextCursor,
  origin,
  presentOrigin,
  presentTags,
  type Shown,
  span,
  tags,
} from "./members.ts";

/** Jobs of all endpoints, of queues and of the history (docs/find-jobs.md). */
const foundJob = z
  .strictObject({
    id,
    endpointId: id,
    endpoint: z.string().meta({ description: "The name of the endpoint." }),
    status: jobState,
    submittedAt: moment,
    queuedAt: moment.meta({ description: "When it was put into the queue last." }),
    startedAt: moment.optional().meta({ description: "When it was handed out last." }),
    endedAt: moment.optional(),
    executionTime: span
      .optional()
      .meta({ description: "ms that the newest attempt ran, or has run until now." }),
    workerId: id.optional().meta({ description: "Of the newest attempt." }),
    version: z.int().min(1).optional().meta({ description: "Of the release that its worker was of." }),
    attempt: count.meta({ description: "How often it was handed out." }),
    tags,
    resubmittedFrom: origin,
    error: z.string().optional().meta({ description: "At most 2 kB of it." }),
    inputStart: z
      .string()
      .optional()
      .meta({ description: "The first 200 characters of the input, as JSON, once the job has ended." }),
    inputBytes: count.optional().meta({ description: "Size of the submission, once the job has ended." }),
    outputBytes: count.optional().meta({ description: "Size of the output, once the job has ended." }),
    hasInput: z.boolean().meta({ description: "Whether `/v1/jobs/{job}/input` has its input." }),
  })
  .meta({ id: "FoundJob", description: "A job of a queue or of the history. Unknown members are left out." });

export const FOUND_JOB = {
  schema: foundJob,
  example: {
    id: JOB_ID,
    endpointId: "7hq2mzkd41xw9c",
    endpoint: "chat",
    status: "FAILED",
    submittedAt: "2026-08-01T12:00:00.000Z",
    queuedAt: "2026-08-01T12:00:00.000Z",
    startedAt: "2026-08-01T12:00:01.300Z",
    endedAt: "2026-08-01T12:00:01.780Z",
    executionTime: 480,
    workerId: "w4k2m9x7q1_2",
    version: 2,
    attempt: 1,
    tags: ["nightly"],
    error: "CUDA out of memory",
    inputStart: '{"prompt":"a castle on a hill"}',
    inputBytes: 44,
    outputBytes: 0,
    hasInput: true,
  },
};

export const FOUND_JOBS = {
  schema: z.strictObject({
    jobs: z.array(foundJob),
    historyMs: span.meta({
      description: "How long finished jobs are kept, ms. 0: the server keeps none, and lists none.",
    }),
    nextCursor: nextCursor.optional(),
  }),
  example: { jobs: [FOUND_JOB.example], historyMs: 604_800_000 },
};

export type FoundJobAnswer = Answered<typeof foundJob>;
export type FoundJobsAnswer = Answered<typeof FOUND_JOBS.schema>;

/** Its endpoint is one of the caller. */
export function presentFoundJob(job: FoundJob, { name }: Endpoint, now: number): Shown<FoundJobAnswer> {
  const { worker, past } = job;
  return {
    id: job.id,
    endpointId: job.endpoint,
    endpoint: name,
    status: job.state,
    submittedAt: dateText(submittedAt(job.id)),
    queuedAt: dateText(job.queuedAt),
    startedAt: dateText(job.startedAt),
    endedAt: dateText(job.endedAt),
    executionTime: ranFor(job, now),
    workerId: worker,
    version: worker === undefined ? undefined : versionOf(worker),
    attempt: job.attempts,
    tags: presentTags(job.tags),
    resubmittedFrom: presentOrigin(job),
    error: job.error,
    inputStart: past?.inputStart,
    inputBytes: past?.inputBytes,
    outputBytes: past?.outputBytes,
    hasInput: job.hasInput,
  };
}
