import * as shapes from "./answer-shapes.ts";
import { NO_NUMBERS, operation, type QueryRule } from "./operation.ts";
import { submission } from "./submission-body.ts";
import { MB } from "./body-rule.ts";

const wait: QueryRule = { valid: ["1000", "1001", "001000"], wrong: [...NO_NUMBERS, "999", "300001", "0"] };

const GET_OR_POST = ["GET", "POST"] as const;

/** docs/api.md, 4.A. */
export const QUEUE_OPERATIONS = {
  run: operation(
    { name: "run", methods: ["POST"], path: "/v2/{endpoint}/run", body: submission(10 * MB) },
    shapes.JOB_AND_STATE,
  ),
  runsync: operation(
    {
      name: "runsync",
      methods: ["POST"],
      path: "/v2/{endpoint}/runsync",
      query: { wait },
      body: submission(20 * MB),
      isHeld: true,
    },
    shapes.RUNSYNC_RECORD,
  ),
  status: operation(
    {
      name: "status",
      methods: GET_OR_POST,
      path: "/v2/{endpoint}/status/{job}",
      // Short ones forget a job that has ended: rule UseAfterFree has these.
      query: {
        ttl: { valid: ["3600000", "604800000"], wrong: [...NO_NUMBERS, "0", "604800001", "2147483648"] },
      },
    },
    shapes.RECORD,
  ),
  statusSync: operation(
    {
      name: "status-sync",
      methods: GET_OR_POST,
      path: "/v2/{endpoint}/status-sync/{job}",
      query: { wait },
      isHeld: true,
    },
    shapes.RECORD,
  ),
  stream: operation(
    {
      name: "stream",
      methods: GET_OR_POST,
      path: "/v2/{endpoint}/stream/{job}",
      query: {
        wait,
        from: { valid: ["0", "1", "999999999999999"], wrong: [...NO_NUMBERS, "9999999999999999"] },
      },
      isHeld: true,
    },
    shapes.STREAM,
  ),
  cancel: operation(
    { name: "cancel", methods: ["POST"], path: "/v2/{endpoint}/cancel/{job}", passesOverBody: true },
    shapes.JOB_AND_STATE,
  ),
  retry: operation(
    {
      name: "retry",
      methods: ["POST"],
      path: "/v2/{endpoint}/retry/{job}",
      passesOverBody: true,
      conflicts: ["NOT_RETRYABLE"],
    },
    shapes.QUEUED_JOB,
  ),
  purge: operation(
    { name: "purge-queue", methods: ["POST"], path: "/v2/{endpoint}/purge-queue", passesOverBody: true },
    shapes.PURGED,
  ),
  health: operation({ name: "health", path: "/v2/{endpoint}/health" }, shapes.HEALTH),
  requests: operation(
    {
      name: "requests",
      path: "/v2/{endpoint}/requests",
      query: {
        status: {
          valid: ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "CANCELLED"],
          wrong: ["", "DONE", "in_queue", "IN_QUEUE,IN_PROGRESS"],
        },
        limit: { valid: ["1", "20", "1000"], wrong: [...NO_NUMBERS, "0", "1001"] },
      },
    },
    shapes.REQUESTS,
  ),
} as const;
