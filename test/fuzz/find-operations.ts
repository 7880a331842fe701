import { z } from "zod";
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
  error: z.string().optional(),
  inputStart: z.string().max(200).optional(),
  inputBytes: count.optional(),
  outputBytes: count.optional(),
  hasInput: z.boolean(),
});

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
} as const;
