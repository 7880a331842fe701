import { MAX_BATCH } from "../../worker/job-take.ts";
import { EXCHANGE, JOB_CHUNK, JOB_RESULT } from "../../worker/report-schemas.ts";
import * as answers from "../../answers/worker-protocol.ts";
import type { Described } from "../description.ts";
import { integer, plainText } from "./parameters.ts";

const inProgress = plainText("1: the worker has what it was given; 0: it has no job.");

const NO_JOB = { description: "No job came in time." };

const KEPT = { description: "It is stored, or late and ignored.", json: answers.ACCEPTED };

/** The protocol of workers (docs/worker-protocol.md). */
export const WORKER_OPERATIONS = {
  "/v2/{endpoint}/job-take/{worker}": {
    GET: {
      id: "takeJob",
      tag: "worker",
      summary: "Take the next job",
      description: "Held for up to 20 s while there is none.",
      query: { job_in_progress: inProgress },
      answers: { 200: { description: "A job.", json: answers.TAKEN_JOB }, 204: NO_JOB },
    },
  },
  "/v2/{endpoint}/job-take-batch/{worker}": {
    GET: {
      id: "takeJobs",
      tag: "worker",
      summary: "Take the next jobs",
      description: "Held for up to 20 s while there is none; a batch is not waited for.",
      query: {
        batch_size: integer(1, MAX_BATCH, "How many at most. Default: 1."),
        job_in_progress: inProgress,
      },
      answers: { 200: { description: "Jobs.", json: answers.TAKEN_JOBS }, 204: NO_JOB },
    },
  },
  "/v2/{endpoint}/job-stop/{worker}": {
    GET: {
      id: "stopJobs",
      tag: "worker",
      summary: "Ask which jobs to stop",
      description: "Held for up to 3 s while there are none.",
      answers: {
        200: { description: "Jobs to stop.", json: answers.STOPS },
        204: { description: "There is none." },
      },
    },
  },
  "/v2/{endpoint}/job-done/{worker}/{job}": {
    POST: {
      id: "reportResult",
      tag: "worker",
      summary: "Report a result, or progress",
      body: { schema: JOB_RESULT, example: { output: { text: "Hello, world" } }, isRequired: false },
      answers: { 200: KEPT },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v2/{endpoint}/job-stream/{worker}/{job}": {
    POST: {
      id: "reportChunk",
      tag: "worker",
      summary: "Report a chunk",
      body: { schema: JOB_CHUNK, example: { output: { text: "Hello" } }, isRequired: false },
      answers: { 200: KEPT },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v2/{endpoint}/ping/{worker}": {
    GET: {
      id: "ping",
      tag: "worker",
      summary: "Show that the worker lives",
      query: { job_id: plainText("The ids of the jobs that it has, joined by commas.") },
      answers: { 200: { description: "It was seen.", json: answers.ACCEPTED } },
    },
  },
  "/v2/{endpoint}/exchange/{worker}": {
    POST: {
      id: "exchange",
      tag: "worker",
      summary: "Report, and take, in one call",
      description: "All of the protocol in one call, fenced by attempt. A body has at most 32 MB.",
      body: {
        schema: EXCHANGE,
        example: {
          alive: [],
          results: [{ id: answers.TAKEN_JOB.example.id, attempt: 1, output: { text: "Hello, world" } }],
          take: 1,
        },
        isRequired: true,
      },
      answers: { 200: { description: "All of the call is stored.", json: answers.EXCHANGED } },
      errors: ["STORAGE_FULL"],
    },
  },
} as const satisfies Partial<Described>;
