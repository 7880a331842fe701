import { z } from "zod";
import type { Dialect } from "../call.ts";
import { anyJson, type Answered, count, id, jobState, span } from "./members.ts";

/**
 * Jobs (spec 2.4 to 2.6). These answers are written as text, because there are many and payloads are passed
 * on as bytes: `src/http/present/record.ts`.
 */
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

export type JobAnswer = Answered<typeof JOB.spec.schema>;

const jobAndState = z
  .strictObject({ id, status: jobState })
  .meta({ id: "JobAndState", description: "Which job, and its state." });

export const SUBMITTED = {
  schema: jobAndState,
  example: { id: JOB_ID.slice("sync-".length), status: "IN_QUEUE" },
};

export const CANCELLED = { schema: jobAndState, example: { ...SUBMITTED.example, status: "CANCELLED" } };

export type JobAndStateAnswer = Answered<typeof jobAndState>;

const chunk = z
  .strictObject({
    output: anyJson("The output of the worker.").optional(),
    metrics: anyJson("What it measured.").optional(),
    part: count.min(1).optional().meta({
      description: "Which piece this is, of JSON above 1 MB that is no string. Joined, the strings are it.",
    }),
    parts: count.min(2).optional().meta({ description: "How many pieces there are." }),
  })
  .meta({ id: "Chunk", description: "A piece of the output of a running job." });

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

const jobInList = z
  .strictObject(members)
  .meta({ id: "JobInList", description: "A job without its payloads." });

export const REQUESTS = {
  schema: z.strictObject({
    requests: z.array(jobInList),
    nextCursor: z.string().min(1).optional().meta({ description: "Left out on the last page." }),
  }),
  example: {
    requests: [
      { id: JOB_ID, status: "IN_PROGRESS", delayTime: 12, executionTime: 480, workerId: "w4k2m9x7q1" },
    ],
  },
};

export type RequestsAnswer = Answered<typeof REQUESTS.schema>;

export const JOB_INPUT = {
  schema: z.looseObject({}).meta({ description: "The `input` of the submission, byte for byte." }),
  example: { name: "world" },
};
