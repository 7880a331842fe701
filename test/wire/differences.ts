import type { Fact } from "./fact.ts";

const WORKERS = "http/wire/workers.test.ts";
const CLIENTS = "http/wire/clients.test.ts";
const MANAGEMENT_V2 = "http/management-v2.test.ts";
const WORKER_ROUTES = "http/worker-routes.test.ts";
const BY_POST = "%s: POST is GET on status, status-sync and stream, empty body or not";
const SYNC = "status-sync is held until the job ends, or the wait is over";
const REFUSALS = "every refusal is a JSON object with the sentence, code and status";
const RECORDS = "%s: times are integers, errors text, and what is unknown is absent";
const WAIT_ENDS = "when the wait ends first: 200 with the state so far, and the job goes on";
const LIMITS = "8 run payload, 8 runsync payload: %s takes bodies up to its limit, and not a byte more";

/** Where the specification and the public clients disagree. */
export const DIFFERENCES: Readonly<Record<string, Fact>> = {
  "1": {
    says: "The specification has a bare array of chunks, the SDKs an object with status and stream",
    does: "Under `/v2` the array, with the state in a header; under `/sdk/v2` the object",
    shown: [
      ["http/stream.test.ts", "4.A stream: a bare array of chunks as sent, with the state in a header"],
      [
        "http/stream.test.ts",
        "the SDKs' shape under /sdk: state and chunks in one object, also when there is none",
      ],
    ],
  },
  "2": {
    says: "Clients read until nothing is left, and expect each chunk once",
    does: "A plain read consumes; `from` reads again",
    shown: [
      ["http/stream.test.ts", "each chunk is read once, by whichever dialect comes first"],
      ["http/stream.test.ts", "?from reads without consuming"],
    ],
  },
  "3": {
    says: "The Go SDK posts where others get",
    does: "Both methods are taken",
    shown: [[CLIENTS, BY_POST]],
  },
  "4": { says: "JavaScript and Go call status-sync", does: "It is there", shown: [[CLIENTS, SYNC]] },
  "5": {
    says: "`wait` is how long the call is held, and how long the result stays",
    does: "Both; when it ends first the answer is 200 with the state",
    shown: [
      [
        "http/spec/4.A-operations.test.ts",
        "4.A runsync wait: how long the call is held, 1000 to 300000 ms, 90000 without it",
      ],
      [
        "http/spec/4.A-behaviour.test.ts",
        "4.A sentence 1 wait, 8 runsync retention: wait extends that, up to 5 minutes",
      ],
      ["http/runsync.test.ts", WAIT_ENDS],
    ],
  },
  "6": {
    says: "Clients want more counts of workers than two",
    does: "All six",
    shown: [[CLIENTS, "health has the counts of jobs and workers that the strictest client asks for"]],
  },
  "7": {
    says: "Records have `workerId`, `error` and `retries` as well",
    does: "They are there when they are known, and never null",
    shown: [
      [CLIENTS, RECORDS],
      [WORKER_ROUTES, "a result with %s: %s"],
    ],
  },
  "8": {
    says: "Progress can be had by status",
    does: "As `output` of a running job under `/sdk/v2`; it goes when the job runs again",
    shown: [[WORKERS, "progress is shown while the job runs, and deleted when it runs again"]],
  },
  "9": {
    says: "The hosted service fails a job that runs for too long",
    does: "It is TIMED_OUT, with the reason as error",
    shown: [
      [
        "http/job-times.test.ts",
        "spec 2.2: 10 minutes where nothing is said; then TIMED_OUT with the reason",
      ],
    ],
  },
  "10": {
    says: "What becomes of a job at the end of its ttl is told in two ways",
    does: "TIMED_OUT, and the record stays as long as any other",
    shown: [
      ["http/job-times.test.ts", "%s, from the submission"],
      [
        "http/job-times.test.ts",
        "design row 5: a finished job's retention is its own, and the ttl does not shorten it",
      ],
    ],
  },
  "11": {
    says: "The documentation has 5 s and a week as limits of executionTimeout",
    does: "Any integer above 5000",
    shown: [
      [
        "http/spec/2.2-policy.test.ts",
        "2.2 executionTimeout, 8 executionTimeout: an integer above 5000, for this job alone",
      ],
    ],
  },
  "12": {
    says: "The documentation has a seventh state, RUNNING",
    does: "There are six",
    shown: [["http/spec/3-states.test.ts", "2.4 status, 3 states: the six words, each told by status"]],
  },
  "13": {
    says: "No client needs more than id and status of run, retry and cancel",
    does: "They answer these alone",
    shown: [
      [
        "http/spec/2.4-job-record.test.ts",
        "2.4 id and status only: run, retry and cancel answer nothing else",
      ],
    ],
  },
  "14": {
    says: "Clients send members that the specification does not have",
    does: "They pass to the worker",
    shown: [[WORKER_ROUTES, "the whole job reaches the worker: unknown members and s3Config as sent"]],
  },
  "15": {
    says: "`isPlatform` is really called `isRunpod`",
    does: "Under `/sdk/v1` both are there",
    shown: [["http/templates.test.ts", "design row 1: under /sdk the record has isRunpod beside isPlatform"]],
  },
  "16": {
    says: "Most clients change templates by PATCH",
    does: "It is the same as update; templates are listed, read and deleted too",
    shown: [
      ["http/template-management.test.ts", "PATCH is the same as update, also under /sdk with isRunpod"],
      ["public-sdk/mcp.test.ts", "create-template, get-template, list-templates: every member"],
    ],
  },
  "17": {
    says: "The published schema has two ports by default",
    does: "None",
    shown: [["http/spec/4.B-templates.test.ts", "4.B.1 ports: [port]/[http or tcp], none without it"]],
  },
  "18": {
    says: "Clients read `error` or `message` of a refusal",
    does: "`error` is the sentence, `code` and `status` stand beside it",
    shown: [[CLIENTS, REFUSALS]],
  },
  "19": {
    says: "OpenAI's clients get the models by GET",
    does: "GET is taken for paths of models",
    shown: [["http/openai.test.ts", "models by GET: %s"]],
  },
  "20": {
    says: "Nobody knows what requests answers",
    does: "Our own: the jobs in all states, page by page",
    shown: [
      [
        "http/requests.test.ts",
        "4.A sentence 6 requests: all six states, the newest first, without payloads",
      ],
    ],
  },
  "21": {
    says: "Keys come raw and as Bearer",
    does: "Both are taken, Bearer in any case",
    shown: [
      ["http/errors.test.ts", "5 queue API, 5 management API: %p opens both"],
      [WORKERS, "its token comes raw; a client that says Bearer is let in as well"],
    ],
  },
  "22": {
    says: "Ids have a look, which some clients check",
    does: "Ours have it too",
    shown: [
      [CLIENTS, "ids of jobs are what clients take for one: letters, digits, - and _"],
      [
        "http/spec/2.4-job-record.test.ts",
        "2.4 id: a string that names the job in every call; of runsync with sync- in front",
      ],
    ],
  },
  "23": {
    says: "The hosted service refused jobs above 500 for each worker",
    does: "A cap of our own, off unless an endpoint sets it",
    shown: [
      [
        "http/queue-caps.test.ts",
        "T6: of 200 submissions at a time exactly maxQueuedJobs are taken; others make nothing",
      ],
    ],
  },
  "24": {
    says: "Other statuses of errors were seen than the specification has",
    does: "401 also for a key that may not do this, 413 for what is too large",
    shown: [
      ["http/submission.test.ts", LIMITS],
      [CLIENTS, REFUSALS],
    ],
  },
  "25": {
    says: "REST v2 (document 2.0.0) says in the endpoint what its container runs, and copies templates",
    does: "The endpoint has a template of its own, or stays on the one that it names",
    shown: [
      [MANAGEMENT_V2, "an endpoint with an image has a template of its own, which goes with it"],
      [MANAGEMENT_V2, "with a template and container members, the endpoint gets a copy, with its variables"],
      ["public-sdk/mcp-v2.test.ts", "endpoints with an image: create, list, read, change, delete"],
    ],
  },
  "26": {
    says: "REST v2 has 201, 403 and 422, problems as errors, and lists in an object",
    does: "The same, with our members beside",
    shown: [
      [MANAGEMENT_V2, "a creation is answered 201, a deletion 204, everything else 200"],
      [MANAGEMENT_V2, "a key without the scope gets 403, an unknown member 422 with its name, as a problem"],
      ["public-sdk/mcp-v2.test.ts", "templates: create, list, read, change, delete"],
    ],
  },
  "27": {
    says: "MCP server 4.0.0 has tools for Pods, clusters, SSH keys, billing and network volumes",
    does: "404 with one code, which the tool shows",
    shown: [[MANAGEMENT_V2, "/v2/%s is answered NOT_SUPPORTED, by every method"]],
  },
};
