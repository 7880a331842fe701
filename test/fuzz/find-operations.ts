import { z } from "zod";
import { type BodyRule, NO_BOOLEANS, NO_OBJECTS, some } from "./body-rule.ts";
import { managed } from "./management-bodies.ts";
import * as shapes from "./answer-shapes.ts";
import { NO_NUMBERS, operation, PAGED, type QueryRule } from "./operation.ts";

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const count = z.int().min(0);
const moment = z.iso.datetime();

const JOB = z.strictObject({
  id,
  endpointId: id,
  endpoint: z.string().min(1).max(191),
  status: z.enum(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]),
  submittedAt: moment,
  queuedAt: moment,
  startedAt: moment.optional(),
  endedAt: moment.optional(),
  executionTime: count.optional(),
  workerId: id.optional(),
  version: z.int().min(1).optional(),
  attempt: count,
  tags: z.array(z.string()).min(1).max(8).optional(),
  resubmittedFrom: z.strictObject({ endpoint: id, id }).optional(),
  error: z.string().optional(),
  inputStart: z.string().max(200).optional(),
  inputBytes: count.optional(),
  outputBytes: count.optional(),
  hasInput: z.boolean(),
});

const OPERATION = z.strictObject({
  id,
  action: z.enum(["retry", "resubmit", "cancel"]),
  state: z.enum(["RUNNING", "COMPLETED", "CANCELLED", "FAILED"]),
  matches: count,
  done: count,
  failed: count,
  skipped: count,
  createdAt: moment,
  endedAt: moment.optional(),
  reason: z.string().optional(),
  errors: z.array(z.strictObject({ endpoint: id, id, code: z.string(), message: z.string() })).max(10),
  jobs: z
    .array(z.strictObject({ endpoint: id, from: id, id }))
    .max(1_000)
    .optional(),
});

const COUNT = z.strictObject({
  action: z.enum(["retry", "resubmit", "cancel"]),
  matches: count,
  eligible: count,
  skipped: z.record(z.string(), count),
  isWhole: z.boolean(),
});

/** It names no job that there is: what others have submitted goes on. */
const MANY_JOBS: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    filter: {
      isRequired: true,
      valid: some(
        '{"id":"ffffffff"}',
        '{"tag":"absent","state":["FAILED","IN_QUEUE"]}',
        '{"error":"\u202e%","from":0,"to":"2026-01-31","minDuration":"10s"}',
        '{"version":999999999,"worker":"nobody"}',
      ),
      wrong: [
        ...NO_OBJECTS,
        "null",
        "{}",
        '{"state":[]}',
        '{"state":"FAILED"}',
        '{"state":["failed"]}',
        '{"id":"a b"}',
        '{"from":"now"}',
        '{"tag":["a"]}',
        '{"limit":1}',
        '{"endpoint":"absent"}',
        '{"__proto__":{"a":1}}',
      ],
    },
    dryRun: { valid: some("true", "false"), wrong: [...NO_BOOLEANS, "null"] },
  },
};

/** Many calls at once begin more operations than an account may run. */
const onMany = (name: string, action: string) =>
  operation(
    {
      name,
      methods: ["POST"],
      path: `/v1/jobs/${action}`,
      body: MANY_JOBS,
      conflicts: ["TOO_MANY_OPERATIONS"],
    },
    z.union([OPERATION, COUNT]),
  );

const TIME: QueryRule = {
  valid: ["0", "1800000000000", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00", "2026-01-31"],
  wrong: ["", "now", "-1", "1e3", "2026-02-31T25:00:00Z", "2026-13-01", "٣", "__proto__"],
};
const ID: QueryRule = {
  valid: ["sync-019", "0", "w-1_2"],
  wrong: ["", "a b", "\0", "é", "x".repeat(129)],
};

const FILTERS = {
  state: {
    isList: true,
    valid: ["FAILED", "IN_QUEUE,IN_PROGRESS", "COMPLETED,CANCELLED,TIMED_OUT"],
    wrong: ["", "failed", "FAILED,", ",", "FAILED ", "toString", "null"],
  },
  from: TIME,
  to: TIME,
  worker: ID,
  id: ID,
  version: { valid: ["1", "999999999999999"], wrong: [...NO_NUMBERS, "0"] },
  error: {
    valid: ["a", "%", "_", "';--", "😀".repeat(200), '"'],
    wrong: ["", "\0", "a\0b", "x".repeat(201)],
  },
  tag: {
    valid: ["a", "%", '"', "😀".repeat(64)],
    wrong: ["", "a b", "\0", "\u202e", "x".repeat(65)],
  },
  minDuration: {
    valid: ["0", "10s", "500ms", "5m", "1h", "1h 30m", "999999999d", "999999999999"],
    wrong: ["", "-1", "1.5s", "10x", "s", "1e3", "null", "999999999999d"],
  },
} as const satisfies Record<string, QueryRule>;

/** docs/find-jobs.md. */
export const FIND_OPERATIONS = {
  findJobs: operation(
    {
      name: "find jobs",
      path: "/v1/jobs",
      // "finished.1.a"
      query: { ...FILTERS, ...PAGED, cursor: { valid: ["ZmluaXNoZWQuMS5h"], wrong: ["", "x", "~"] } },
    },
    z.strictObject({ jobs: z.array(JOB), historyMs: count, nextCursor: z.string().min(1).optional() }),
  ),
  findJob: operation({ name: "find a job", path: "/v1/jobs/{job}" }, JOB),
  findJobInput: operation(
    {
      name: "read the input of a job by its id",
      path: "/v1/jobs/{job}/input",
      conflicts: ["INPUT_NOT_KEPT"],
    },
    shapes.JOB_INPUT,
  ),
  retryJobs: onMany("retry many jobs", "retry"),
  resubmitJobs: onMany("resubmit many jobs", "resubmit"),
  cancelJobs: onMany("cancel many jobs", "cancel"),
  listJobOperations: operation(
    { name: "list job operations", path: "/v1/job-operations" },
    z.strictObject({ operations: z.array(OPERATION.omit({ jobs: true })) }),
  ),
  readJobOperation: operation(
    {
      name: "read a job operation",
      path: "/v1/job-operations/{operation}",
      conflicts: ["JOB_OPERATION_NOT_FOUND"],
    },
    OPERATION,
  ),
  stopJobOperation: operation(
    {
      name: "stop a job operation",
      methods: ["POST"],
      path: "/v1/job-operations/{operation}/cancel",
      passesOverBody: true,
      conflicts: ["CHANGED_MEANWHILE", "JOB_OPERATION_NOT_FOUND"],
    },
    OPERATION,
  ),
} as const;
