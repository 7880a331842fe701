import { z } from "zod";
import type { Dialect } from "../../call.ts";
import { anyJson, count, id, jobState, span } from "./words.ts";

/** The answers of the queue API (spec 2.4 to 2.7). */
export const JOB_ID = "sync-01990a4c-5f6a-7000-8c1e-0242ac120002-u1";

const members = {
  id: id.meta({ description: "Jobs of runsync have one that begins with `sync-`." }),
  status: jobState,
  delayTime: span.optional().meta({ description: "ms from the last queueing to the hand-out." }),
  executionTime: span
    .optional()
    .meta({ description: "ms from the hand-out to the end of the last attempt." }),
  workerId: id.optional().meta({ description: "The worker that has, or had, the job." }),
  retries: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "How often the job was lost at a worker since it was submitted or retried." }),
};

function record(dialect: Dialect) {
  const alsoProgress = dialect === "sdk" ? " While it is IN_PROGRESS: the last progress value." : "";
  return z
    .strictObject({
      ...members,
      output: anyJson(`As the worker sent it; only when the job is COMPLETED.${alsoProgress}`).optional(),
      error: z.string().optional().meta({ description: "Only when the job has FAILED or TIMED_OUT." }),
    })
    .meta({ id: "Job", description: "A job. What is not known is left out, and never null." });
}

const COMPLETED = {
  id: JOB_ID,
  status: "COMPLETED",
  delayTime: 12,
  executionTime: 480,
  workerId: "w4k2m9x7q1",
  output: { text: "Hello, world" },
};

export const JOB = {
  spec: { schema: record("spec"), example: COMPLETED },
  sdk: { schema: record("sdk"), example: COMPLETED },
} as const;

const jobAndState = z
  .strictObject({ id, status: jobState })
  .meta({ id: "JobAndState", description: "Which job, and its state." });

export const SUBMITTED = {
  schema: jobAndState,
  example: { id: JOB_ID.slice("sync-".length), status: "IN_QUEUE" },
};

export const CANCELLED = { schema: jobAndState, example: { ...SUBMITTED.example, status: "CANCELLED" } };

const chunk = z
  .strictObject({
    output: anyJson("What the worker put out.").optional(),
    metrics: anyJson("What it measured.").optional(),
  })
  .meta({ id: "Chunk", description: "A piece of what a running job puts out." });

const CHUNKS = [{ output: { text: "Hello" } }, { output: { text: ", world" } }];

export const STREAM = {
  spec: { schema: z.array(chunk), example: CHUNKS },
  sdk: {
    schema: z
      .strictObject({ id, status: jobState, stream: z.array(chunk) })
      .meta({ id: "Stream", description: "The state of a job, and its new chunks." }),
    example: { id: JOB_ID, status: "IN_PROGRESS", stream: CHUNKS },
  },
} as const;

export const PURGED = {
  schema: z.strictObject({
    removed: count.meta({ description: "How many waiting jobs this call has removed." }),
    status: z.literal("completed"),
  }),
  example: { removed: 3, status: "completed" },
};

export const HEALTH = {
  schema: z
    .strictObject({
      jobs: z.strictObject({
        completed: count.meta({ description: "Since the endpoint was made." }),
        failed: count.meta({ description: "FAILED and TIMED_OUT, since the endpoint was made." }),
        inProgress: count,
        inQueue: count,
        retried: count.meta({ description: "Returns to the queue, by retry and by lost worker." }),
      }),
      workers: z.strictObject({
        idle: count.meta({ description: "Live workers without a job." }),
        initializing: count.meta({ description: "Started, and not heard of yet." }),
        ready: count.meta({ description: "Idle, and given the next job." }),
        running: count.meta({ description: "Live workers that hold a job." }),
        throttled: count,
        unhealthy: count,
      }),
    })
    .meta({ id: "Health", description: "Counts of an endpoint's jobs and workers." }),
  example: {
    jobs: { completed: 41, failed: 1, inProgress: 2, inQueue: 7, retried: 1 },
    workers: { idle: 1, initializing: 0, ready: 1, running: 2, throttled: 0, unhealthy: 0 },
  },
};

export const REQUESTS = {
  schema: z.strictObject({
    requests: z.array(
      z.strictObject(members).meta({ id: "JobInList", description: "A job without its payloads." }),
    ),
    nextCursor: z.string().min(1).optional().meta({ description: "Left out on the last page." }),
  }),
  example: {
    requests: [
      { id: JOB_ID, status: "IN_PROGRESS", delayTime: 12, executionTime: 480, workerId: "w4k2m9x7q1" },
    ],
  },
};

export const JOB_INPUT = {
  schema: z.looseObject({}).meta({ description: "The `input` of the submission, byte for byte." }),
  example: { name: "world" },
};
