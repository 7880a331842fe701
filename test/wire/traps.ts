import type { Fact } from "./fact.ts";

const WORKERS = "http/wire/workers.test.ts";
const TOLERANCE = "http/tolerance.test.ts";
const CLIENTS = "http/wire/clients.test.ts";
const WORKER_ROUTES = "http/worker-routes.test.ts";
const ENVIRONMENT = "the environment has every variable that the public worker SDK reads";
const BATCH = "job-take-batch answers what is there at once, at most batch_size, else 204";
const BY_POST = "%s: POST is GET on status, status-sync and stream, empty body or not";
const SYNC = "status-sync is held until the job ends, or the wait is over";
const REFUSALS = "every refusal is a JSON object with the sentence, code and status";
const HELD = "calls are held, and connections rest, for as long as the public SDKs bear";
const RECORDS = "%s: times are integers, errors text, and what is unknown is absent";
const WAIT_ENDS = "when the wait ends first: 200 with the state so far, and the job goes on";
const LIMITS = "8 run payload, 8 runsync payload: %s takes bodies up to its limit, and not a byte more";

/** What servers of these clients and workers usually get wrong. */
export const TRAPS: Readonly<Record<string, Fact>> = {
  "1": {
    says: "The worker SDK adds its query with `&`",
    does: "Every address has a `?`",
    shown: [[WORKER_ROUTES, ENVIRONMENT]],
  },
  "2": {
    says: "It makes the addresses of batches and stops of the one for jobs",
    does: "`/job-take/$ID` stands in it, and the others are there",
    shown: [
      [WORKER_ROUTES, ENVIRONMENT],
      [WORKER_ROUTES, BATCH],
    ],
  },
  "3": {
    says: "It says that its JSON is a form",
    does: "The bytes are read as JSON, whatever they are called",
    shown: [[WORKERS, "results and chunks are JSON in UTF-8, though they say that they are %p"]],
  },
  "4": {
    says: "It never sends a result again that was refused with 4xx",
    does: "What nobody can make better is answered 200",
    shown: [
      [WORKER_ROUTES, "late, duplicate and foreign results are answered 200, counted, and change nothing"],
      [WORKER_ROUTES, "R25: a result that %s ends its job FAILED at once, with the reason"],
      ["http/stream.test.ts", "R15: a chunk after the end is answered 200 and changes nothing"],
    ],
  },
  "5": {
    says: "It sends a result on a connection that has rested for 15 s",
    does: "The server closes none before 75 s",
    shown: [
      [WORKERS, HELD],
      [
        "races/wire.test.ts",
        "R27, close first: a result that was cut off counts as none, and sent again it counts",
      ],
    ],
  },
  "6": {
    says: "It asks again at once when it gets nothing, and cuts its call after 90 s",
    does: "The call is held for 20 s",
    shown: [
      [WORKERS, HELD],
      [WORKER_ROUTES, "job-take without a job is held, then 204"],
    ],
  },
  "7": {
    says: "It may have gone when its call gets a job",
    does: "Such a job goes to another one",
    shown: [
      [
        "races/workers.test.ts",
        "R10, hang-up first: the job of a caller known to be gone goes back as if never out",
      ],
      [
        "races/workers.test.ts",
        "R10, hand-out first: a job that nobody confirms goes back when its delivery lease ends",
      ],
    ],
  },
  "8": {
    says: "It sends its token without Bearer",
    does: "Both ways are taken",
    shown: [[WORKERS, "its token comes raw; a client that says Bearer is let in as well"]],
  },
  "9": {
    says: "Its X-Request-ID is that of an earlier job",
    does: "Nobody looks at it",
    shown: [
      ["races/wire.test.ts", "R26, newer job first: its result is its own, whatever X-Request-ID says"],
    ],
  },
  "10": {
    says: "A job that was stopped is reported late, or never",
    does: "Its state is decided by the cancel alone",
    shown: [
      ["races/results.test.ts", "R1, cancel first: the job is CANCELLED, and the result changes nothing"],
    ],
  },
  "11": {
    says: "A stop can be lost, and the same list twice makes a hot loop",
    does: "It comes again after a pause, until the worker has stopped",
    shown: [
      [
        "http/cancel-retry-purge.test.ts",
        "the stop is sent again, after a pause, until the worker no longer has the job",
      ],
    ],
  },
  "12": {
    says: "Progress comes on the path of results, also late",
    does: "It ends nothing, and changes nothing that has ended",
    shown: [
      [WORKER_ROUTES, "R14: progress on the path of results does not end the job; the SDKs see it as output"],
      ["races/results.test.ts", "R14, result first: progress does not overwrite it"],
    ],
  },
  "13": {
    says: "isStream is false on chunks, and `[]` the output of a generator that does not aggregate",
    does: "The path tells what it is, and the chunks stay",
    shown: [[WORKERS, "chunks of a generator that does not aggregate stay readable behind its last report"]],
  },
  "14": {
    says: "Every SDK breaks on an array, or without `stream`",
    does: "Under `/sdk/v2` the object is always whole",
    shown: [
      [
        "http/stream.test.ts",
        "the SDKs' shape under /sdk: state and chunks in one object, also when there is none",
      ],
    ],
  },
  "15": {
    says: "Python reads for ever what comes twice, JavaScript and Go lose what comes behind the final state",
    does: "Each comes once, and the final state with the last ones",
    shown: [
      ["http/stream.test.ts", "R16: the first answer with a final state carries all that is left"],
      ["public-sdk/client.test.ts", "stream yields every chunk once, and ends with the job"],
    ],
  },
  "16": {
    says: "JavaScript asks for streams and status-sync without a pause",
    does: "Both are held",
    shown: [
      [CLIENTS, SYNC],
      [WORKERS, HELD],
      ["public-sdk/client.test.ts", "runSync goes on with status-sync, whose calls are held"],
    ],
  },
  "17": { says: "The Go SDK posts to read", does: "POST is GET there", shown: [[CLIENTS, BY_POST]] },
  "18": {
    says: "Empty bodies are called JSON",
    does: "Nobody parses them",
    shown: [
      [CLIENTS, "a call without a body may say that it is JSON"],
      ["http/cancel-retry-purge.test.ts", "reliability 5.16: cancel, retry and purge-queue take %s"],
      [
        "http/template-management.test.ts",
        "with a content type and no body, as the Go client sends it, is the same",
      ],
    ],
  },
  "19": {
    says: "JavaScript and Go take 200 alone for a success",
    does: "Every success is 200, DELETE 204",
    shown: [[CLIENTS, "every success is 200, and 204 where something is deleted"]],
  },
  "20": {
    says: "Go fails on fractions, null and errors that are objects",
    does: "Times are integers, errors text, and what is unknown is absent",
    shown: [
      [CLIENTS, RECORDS],
      ["python/results.test.ts", "returns an error that is a dict: clients get it as a string"],
    ],
  },
  "21": {
    says: "A runsync whose wait ends is no error to its client",
    does: "200 with the state",
    shown: [["http/runsync.test.ts", WAIT_ENDS]],
  },
  "22": {
    says: "Python and JavaScript choke on errors that are no JSON",
    does: "All are JSON, 429 has Retry-After, and workers are not limited",
    shown: [
      [CLIENTS, REFUSALS],
      [
        "http/rate-limits.test.ts",
        "7 429: ${requests} within any 10 s; the next waits until the first are over",
      ],
      ["http/rate-limits.test.ts", "wire-facts 22: workers' calls are never limited"],
    ],
  },
  "23": {
    says: "A worker that ends waits for its open calls, and loses a job that comes to them",
    does: "They are answered 204 at once, and no job goes to it any more",
    shown: [
      [WORKERS, "calls that are held when the server stops are answered 204 at once"],
      [
        "engine/managed-workers.test.ts",
        "one that asks to be replaced gets no more jobs, not even by a parked call",
      ],
      ["engine/managed-workers.test.ts", "one that is being stopped does not wait for jobs to stop"],
    ],
  },
  "24": {
    says: "SDKs wait for 3 s",
    does: "run answers with the commit, whoever is to be started",
    shown: [
      [
        "http/spec/4.A-operations.test.ts",
        "4.A run: answers id and IN_QUEUE at once, whoever waits for a job",
      ],
    ],
  },
  "25": {
    says: "Usual limits of bodies are smaller than what workers and clients send",
    does: "10, 20 and 25 MB, and a JSON 413 above",
    shown: [
      ["http/submission.test.ts", LIMITS],
      [WORKERS, "results of 24 MB are kept, and come back whole"],
    ],
  },
  "26": {
    says: 'HTTP libraries of clients send a byte order mark, a last slash, or null and "" for none',
    does: "All are understood",
    shown: [
      [TOLERANCE, "a byte order mark before a submission is skipped, and reaches no worker"],
      [TOLERANCE, "%s with a slash at its end is the same path"],
      [TOLERANCE, "%s means none: %s"],
    ],
  },
  "27": {
    says: "Some compress their bodies",
    does: "gzip and deflate are decoded, up to the limit of the path",
    shown: [["http/encoded-bodies.test.ts", "in %s reaches the worker as the text that it was"]],
  },
  "28": {
    says: "Node's `fetch`, axios and Python's `http.client` read an answer only when they have sent all",
    does: "The rest of a body that is too large is read, up to a bound, before the connection closes",
    shown: [
      ["http/large-bodies.test.ts", "gets ${name} the 413, each time, and not a broken connection: %d bytes"],
    ],
  },
  "29": {
    says: "Python workers read half of a surrogate pair, and cannot send it back",
    does: "A submission with one is refused",
    shown: [[TOLERANCE, "half of a character, which Python workers cannot send back, is refused: %s"]],
  },
  "30": {
    says: "The worker for sglang streams an error of its model server as text",
    does: "First it is an HTTP error, later an event that the clients raise",
    shown: [
      ["http/openai-streaming.test.ts", "an error as first chunk has its status: %s"],
      ["http/openai-streaming.test.ts", "an error as a later chunk is an event that clients raise: %s"],
    ],
  },
};
