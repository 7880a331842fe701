import { STATUS_TTL, WAIT } from "../../../domain/policy.ts";
import { JOB_STATES } from "../../../domain/transitions.ts";
import { IDEMPOTENCY_KEY } from "../../queue/run.ts";
import { REQUESTS_LIMIT } from "../../queue/requests.ts";
import { MAX_FROM } from "../../queue/live-stream.ts";
import { SUBMISSION } from "../../queue/submission-schema.ts";
import * as answers from "../../answers/job.ts";
import { HEALTH, PURGED } from "../../answers/queue.ts";
import type { AnswerHeader, Described, OperationDescription, Parameter } from "../description.ts";
import { integer, milliseconds, plainText, wait } from "./parameters.ts";
import { TRACED } from "./trace-headers.ts";

const SUBMISSION_BODY = {
  schema: SUBMISSION,
  example: { input: { name: "world" }, policy: { executionTimeout: 60_000, ttl: 3_600_000 } },
  isRequired: true,
} as const;

const IDEMPOTENT = {
  "Idempotency-Key": plainText(
    "Names the submission for a day: the same body again is the same job, another body is refused.",
    { pattern: IDEMPOTENCY_KEY.source },
  ),
} as const;

const SUBMISSION_HEADERS = { ...IDEMPOTENT, ...TRACED } as const;

const SUBMITTING = ["IDEMPOTENCY_MISMATCH", "QUEUE_FULL", "STORAGE_FULL", "SHUTTING_DOWN"] as const;

const RUN: OperationDescription = {
  id: "run",
  tag: "jobs",
  summary: "Submit a job",
  description:
    "Answers the job's id at once. The result stays for 30 minutes after the end, or as the endpoint says. " +
    "A body has at most 10 MB.",
  headers: SUBMISSION_HEADERS,
  body: SUBMISSION_BODY,
  answers: { 200: { description: "The job is stored.", json: answers.SUBMITTED } },
  errors: SUBMITTING,
};

const RUNSYNC: OperationDescription = {
  id: "runsync",
  tag: "jobs",
  summary: "Submit a job and wait for its end",
  description:
    "Status 200 and the job's id, in a header, leave as soon as the job is stored; the record follows when " +
    "it has ended, or when the wait is over: then the job goes on. Whatever state it ends in, the answer " +
    "is 200. Should the key be revoked meanwhile, an `Error` stands in the place of the record. A body has " +
    "at most 20 MB.",
  query: { wait: milliseconds(WAIT, "How long the call is held, ms, and the result kept. Default: 90000.") },
  headers: SUBMISSION_HEADERS,
  body: SUBMISSION_BODY,
  answers: {
    200: {
      description: "The job has ended, or the wait is over.",
      json: answers.JOB,
      headers: { "X-Job-Id": plainText("The id of the job, which comes before its record.") },
    },
  },
  errors: [...SUBMITTING, "PAYLOAD_DAMAGED"],
};

const STATUS: OperationDescription = {
  id: "status",
  tag: "jobs",
  summary: "Read a job",
  query: {
    ttl: milliseconds(
      STATUS_TTL,
      "The job's ttl ends that many ms from now; of a job that has ended, its record. Needs the scope write.",
    ),
  },
  answers: { 200: { description: "The job.", json: answers.JOB } },
};

const STATUS_SYNC: OperationDescription = {
  id: "statusSync",
  tag: "jobs",
  summary: "Wait for the end of a job",
  query: { wait: wait("90000") },
  answers: { 200: { description: "The job has ended, or the wait is over.", json: answers.JOB } },
};

function ofPlainRead(header: Parameter): AnswerHeader {
  return { ...header, isOfJsonAlone: true };
}

const STREAM: OperationDescription = {
  id: "stream",
  tag: "jobs",
  summary: "Read what a job puts out",
  description:
    "A plain read answers the chunks that no plain read has had, and waits for one when there is none. " +
    "A final state comes with the last chunks. With `Accept: text/event-stream` the chunks are pushed as " +
    "they are stored, and none is consumed: each is an event whose id is its number, and the last event, " +
    "`end`, tells the final state. `Last-Event-ID` goes on behind an event; behind `end` the answer is 204.",
  query: {
    wait: wait("5000"),
    from: integer(0, MAX_FROM, "Reads from this chunk on, and consumes nothing."),
  },
  answers: {
    200: {
      description: "The chunks.",
      json: answers.STREAM,
      mediaType: "text/event-stream",
      headers: {
        "X-Job-Status": ofPlainRead(plainText("The state of the job.", { enum: JOB_STATES })),
        "X-Next-Chunk": ofPlainRead(integer(0, Number.MAX_SAFE_INTEGER, "The number of the next chunk.")),
        "X-Attempt": ofPlainRead(integer(0, Number.MAX_SAFE_INTEGER, "The hand-out whose chunks they are.")),
      },
    },
    204: { description: "The event before was the last one." },
  },
};

/** The same by POST, because a public SDK posts. */
function byPost(description: OperationDescription): OperationDescription {
  return { ...description, id: `${description.id}ByPost`, summary: `${description.summary}, by POST` };
}

/** Operations on jobs and queues (spec 4.A). */
export const JOB_OPERATIONS = {
  "/v2/{endpoint}/run": { POST: RUN },
  "/v2/{endpoint}/runsync": { POST: RUNSYNC },
  "/v2/{endpoint}/status/{job}": { GET: STATUS, POST: byPost(STATUS) },
  "/v2/{endpoint}/status-sync/{job}": { GET: STATUS_SYNC, POST: byPost(STATUS_SYNC) },
  "/v2/{endpoint}/stream/{job}": { GET: STREAM, POST: byPost(STREAM) },
  "/v2/{endpoint}/cancel/{job}": {
    POST: {
      id: "cancel",
      tag: "jobs",
      summary: "Cancel a job",
      description: "Answers at once; the worker is told to stop. A job that has ended stays as it is.",
      passesOverBody: true,
      answers: { 200: { description: "The job and its true state.", json: answers.CANCELLED } },
    },
  },
  "/v2/{endpoint}/retry/{job}": {
    POST: {
      id: "retry",
      tag: "jobs",
      summary: "Run a failed job again",
      description:
        "Takes a job that is FAILED or TIMED_OUT: same id, same input, a new ttl of the same length.",
      passesOverBody: true,
      answers: { 200: { description: "The job waits again.", json: answers.SUBMITTED } },
      errors: ["NOT_RETRYABLE", "QUEUE_FULL"],
    },
  },
  "/v2/{endpoint}/purge-queue": {
    POST: {
      id: "purgeQueue",
      tag: "queue",
      summary: "Remove all waiting jobs",
      description: "Running jobs are left alone.",
      passesOverBody: true,
      answers: { 200: { description: "How many were removed.", json: PURGED } },
    },
  },
  "/v2/{endpoint}/health": {
    GET: {
      id: "health",
      tag: "queue",
      summary: "Count jobs and workers",
      answers: { 200: { description: "The counts.", json: HEALTH } },
    },
  },
  "/v2/{endpoint}/requests": {
    GET: {
      id: "requests",
      tag: "queue",
      summary: "List jobs",
      description: "The newest first, page by page; a page can be short, or empty, and have a `nextCursor`.",
      query: {
        status: plainText("Only jobs in this state.", { enum: JOB_STATES }),
        limit: integer(1, REQUESTS_LIMIT.max, `The length of a page. Default: ${REQUESTS_LIMIT.default}.`),
        cursor: plainText("The `nextCursor` of the page before, with the same `status`."),
      },
      answers: { 200: { description: "A page.", json: answers.REQUESTS } },
    },
  },
} as const satisfies Partial<Described>;
