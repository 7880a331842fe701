import { CREATE_ENDPOINT, UPDATE_ENDPOINT } from "../../manage/endpoint-schema.ts";
import { ROLL_BACK } from "../../manage/releases.ts";
import { CREATE_WORKER } from "../../manage/workers.ts";
import { JOB_INPUT, TIMELINE } from "../answers/job-answers.ts";
import * as answers from "../answers/record-answers.ts";
import type { Described, OperationDescription } from "../description.ts";

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
  answers: { 200: { description: "The endpoint.", json: answers.ENDPOINT } },
  errors: ["NAME_TAKEN", "CHANGED_MEANWHILE", "STORAGE_FULL"],
};

/** Operations on endpoints, and on what belongs to one. */
export const ENDPOINT_OPERATIONS = {
  "/v1/endpoints": {
    GET: {
      id: "listEndpoints",
      tag: "endpoints",
      summary: "List endpoints",
      answers: { 200: { description: "The account's endpoints.", json: answers.ENDPOINTS } },
    },
    POST: {
      id: "createEndpoint",
      tag: "endpoints",
      summary: "Create an endpoint",
      description: "`workersMin` is at most `workersMax`. `rateLimits` needs a key with the scope admin.",
      body: {
        schema: CREATE_ENDPOINT.meta({
          id: "EndpointCreation",
          description: "What is said of a new endpoint.",
        }),
        example: { name: "chat", workersMax: 3 },
        isRequired: true,
      },
      answers: { 200: { description: "The endpoint.", json: answers.ENDPOINT } },
      errors: ["TEMPLATE_NOT_FOUND", "NAME_TAKEN", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}": {
    GET: {
      id: "readEndpoint",
      tag: "endpoints",
      summary: "Read an endpoint",
      answers: { 200: { description: "The endpoint.", json: answers.ENDPOINT } },
    },
    PATCH: { ...CHANGE, id: "patchEndpoint" },
    DELETE: {
      id: "deleteEndpoint",
      tag: "endpoints",
      summary: "Delete an endpoint",
      description: "One with unfinished jobs stays. Its workers' tokens go with it.",
      answers: { 204: { description: "It is gone." } },
      errors: ["IN_USE"],
    },
  },
  "/v1/endpoints/{endpoint}/update": { POST: { ...CHANGE, summary: "Change an endpoint, by POST" } },
  "/v1/endpoints/{endpoint}/workers": {
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
      answers: { 200: { description: "How it connects.", json: answers.ADMISSION } },
      errors: ["STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/releases": {
    GET: {
      id: "listReleases",
      tag: "endpoints",
      summary: "List an endpoint's releases",
      description: "The newest first. There are none where workers come by themselves.",
      answers: { 200: { description: "The releases.", json: answers.RELEASES } },
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
      answers: { 200: { description: "The new release.", json: answers.RELEASE } },
      errors: ["RELEASE_NOT_FOUND", "STORAGE_FULL"],
    },
  },
  "/v1/endpoints/{endpoint}/jobs/{job}": {
    GET: {
      id: "readJob",
      tag: "endpoints",
      summary: "Read how a job went",
      description: "When it waited and ran, at which worker, and of which version that was.",
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
