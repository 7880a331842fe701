import { CREATE_ENDPOINT, UPDATE_ENDPOINT } from "../../manage/endpoint-schema.ts";
import { TAIL } from "../../manage/logs.ts";
import { PAUSE_RELEASE, ROLL_BACK } from "../../manage/releases.ts";
import { CREATE_WORKER } from "../../manage/workers.ts";
import { ENDPOINT, ENDPOINTS } from "../../answers/endpoint.ts";
import { JOB_INPUT } from "../../answers/job.ts";
import { RELEASE, RELEASES } from "../../answers/release.ts";
import { TIMELINE } from "../../answers/timeline.ts";
import { ADMISSION, WORKERS } from "../../answers/worker.ts";
import type { Described, OperationDescription } from "../description.ts";
import { flag, integer, PAGE, plainText } from "./parameters.ts";

const CHANGE: OperationDescription = {
  id: "updateEndpoint",
  tag: "endpoints",
  summary: "Change an endpoint",
  description: "What is not named stays; null puts the default back. `workersMin` is at most `workersMax`.",
  body: {
    schema: UPDATE_ENDPOINT.meta({ id: "EndpointChanges", description: "What is to change of an endpoint." }),
    example: { workersMax: 5, runRetentionMs: 3_600_000 },
    isRequired: false,
  },
  answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
  errors: ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "CHANGED_MEANWHILE", "LIMIT_REACHED", "STORAGE_FULL"],
};

const INCLUDED = {
  includeTemplate: flag("Whether the template comes with the record."),
  includeWorkers: flag("Whether the workers come with the record."),
};

const LOGS = {
  description: "The lines, the oldest first; a blank can stand before the first one.",
  mediaType: "application/x-ndjson",
  headers: {
    "X-Worker-Id": { description: "The worker whose lines they are.", schema: { type: "string" } },
  },
} as const;

/** Operations on endpoints, and on what belongs to one. */
export const ENDPOINT_OPERATIONS = {
  "/v1/endpoints": {
    GET: {
      id: "listEndpoints",
      tag: "endpoints",
      summary: "List endpoints",
      query: INCLUDED,
      answers: { 200: { description: "The account's endpoints.", json: ENDPOINTS } },
    },
    POST: {
      id: "createEndpoint",
      tag: "endpoints",
      summary: "Create an endpoint",
      description:
        "`name` may be left out where there is a `templateId`: then it is the id. " +
        "`workersMin` is at most `workersMax`. `rateLimits` needs a key with the scope admin.",
      body: {
        schema: CREATE_ENDPOINT.meta({
          id: "EndpointCreation",
          description: "What is said of a new endpoint.",
        }),
        example: { name: "chat", workersMax: 3, env: { MODEL: "large" } },
        isRequired: true,
      },
      answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
      errors: ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "LIMIT_REACHED", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}": {
    GET: {
      id: "readEndpoint",
      tag: "endpoints",
      summary: "Read an endpoint",
      query: INCLUDED,
      answers: { 200: { description: "The endpoint.", json: ENDPOINT } },
    },
    PATCH: { ...CHANGE, id: "patchEndpoint" },
    DELETE: {
      id: "deleteEndpoint",
      tag: "endpoints",
      summary: "Delete an endpoint",
      description:
        "Jobs that wait are removed; those that run may end within the drain grace, and are cancelled " +
        "then. Its workers' tokens go with it.",
      answers: { 204: { description: "It is gone, but for what still runs." } },
    },
  },
  "/v1/endpoints/{endpoint}/update": { POST: { ...CHANGE, summary: "Change an endpoint, by POST" } },
  "/v1/endpoints/{endpoint}/workers": {
    GET: {
      id: "listWorkers",
      tag: "endpoints",
      summary: "List the workers",
      description: "Those that Forebay started, on whichever server, and those that came by themselves.",
      query: PAGE,
      answers: { 200: { description: "The workers.", json: WORKERS } },
    },
    POST: {
      id: "admitWorker",
      tag: "endpoints",
      summary: "Admit a worker",
      description: "One that Forebay does not start. With `many` the token serves any number of workers.",
      body: {
        schema: CREATE_WORKER.meta({
          id: "WorkerAdmission",
          description: "For how many workers the token is.",
        }),
        example: { many: false },
        isRequired: false,
      },
      answers: { 200: { description: "How it connects.", json: ADMISSION } },
      errors: ["LIMIT_REACHED", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/workers/{worker}": {
    DELETE: {
      id: "stopWorker",
      tag: "endpoints",
      summary: "Stop a worker",
      description:
        "One that Forebay started gets no more jobs and has the drain grace for those that it has. Of any " +
        "other the token is refused from now on. What it does not finish goes out again.",
      answers: { 204: { description: "It ends." } },
      errors: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/workers/{worker}/replace": {
    POST: {
      id: "replaceWorker",
      tag: "endpoints",
      summary: "Replace a worker",
      description:
        "It gets no more jobs and ends after those that it has; a fresh one starts as soon as the endpoint " +
        "wants one.",
      answers: { 204: { description: "It ends after its jobs." } },
      errors: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/workers/{worker}/logs": {
    GET: {
      id: "workerLogs",
      tag: "endpoints",
      summary: "Read what a worker prints",
      description:
        "Of workers that Forebay started, at the server that did: while they run, and for a while after " +
        "their end. A line of JSON for each line: `time`, `stream` (`stdout`, `stderr`, or `forebay` for " +
        "words on the log itself) and `line`.",
      query: {
        tail: integer(TAIL.min, TAIL.max, "Only so many of the last lines. Default: all."),
        since: plainText("Only what was printed from this time on.", { format: "date-time" }),
        follow: {
          description: "Goes on with what is printed, until the worker has ended. Default: false.",
          schema: { type: "boolean" },
        },
      },
      answers: { 200: LOGS },
      errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
    },
  },
  "/v1/endpoints/{endpoint}/jobs/{job}/logs": {
    GET: {
      id: "jobLogs",
      tag: "endpoints",
      summary: "Read what was printed while a job ran",
      description:
        "What the worker of the last attempt printed, from a second before the hand-out until a second " +
        "after the end. Lines of other jobs that it ran meanwhile are among them.",
      answers: { 200: LOGS },
      errors: ["WORKER_NOT_FOUND", "NO_LOGS"],
    },
  },
  "/v1/endpoints/{endpoint}/releases": {
    GET: {
      id: "listReleases",
      tag: "endpoints",
      summary: "List an endpoint's releases",
      description: "The newest first. There are none where workers come by themselves.",
      query: PAGE,
      answers: { 200: { description: "The releases.", json: RELEASES } },
    },
    POST: {
      id: "rollBack",
      tag: "endpoints",
      summary: "Roll back to an earlier version",
      description: "Makes a new release of what an earlier one started workers from.",
      body: {
        schema: ROLL_BACK.meta({ id: "RollBack", description: "The version to bring back." }),
        example: { version: 1 },
        isRequired: true,
      },
      answers: { 200: { description: "The new release.", json: RELEASE } },
      errors: ["RELEASE_NOT_FOUND", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/releases/{version}": {
    PATCH: {
      id: "pauseRelease",
      tag: "endpoints",
      summary: "Pause or resume a release",
      description:
        "A release that is paused replaces no more workers: both versions serve, each with as many workers " +
        "as it had. What is so already is answered alike. With `startsNow` an endpoint without workers " +
        "starts one of the version now, without a job, until one has called or 3 starts have failed.",
      body: {
        schema: PAUSE_RELEASE.meta({
          id: "PauseRelease",
          description: "Whether the release stays where it is, and whether it starts a worker now.",
        }),
        example: { isPaused: true },
        isRequired: true,
      },
      answers: { 200: { description: "The release.", json: RELEASE } },
      errors: ["RELEASE_NOT_FOUND", "RELEASE_NOT_ROLLING", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/jobs/{job}": {
    GET: {
      id: "readJob",
      tag: "endpoints",
      summary: "Read how a job went, and why it waits",
      description:
        "Its attempts with their workers, versions and ends, cold starts, its place in the queue and why " +
        "it waits, and its webhooks.",
      answers: { 200: { description: "How it went.", json: TIMELINE } },
    },
  },
  "/v1/endpoints/{endpoint}/jobs/{job}/input": {
    GET: {
      id: "readJobInput",
      tag: "endpoints",
      summary: "Read a job's input",
      description: "There as long as the job's record is; nothing else of the submission comes with it.",
      answers: { 200: { description: "The input.", json: JOB_INPUT } },
    },
  },
} as const satisfies Partial<Described>;
