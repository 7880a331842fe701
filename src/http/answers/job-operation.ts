import { z } from "zod";
import {
  type ActionCount,
  type JobAction,
  JOB_ACTIONS,
  type JobOperationView,
  KEPT_ERRORS,
  KEPT_MADE,
  NAMED_JOBS,
  OPERATION_JOBS,
  OPERATION_STATES,
  SKIP_REASONS,
} from "../../domain/job-operation.ts";
import { JOB_STATES } from "../../domain/transitions.ts";
import { JOB_ID } from "./job.ts";
import { type Answered, count, dateText, id, moment, type Shown } from "./members.ts";

/** Actions on many jobs (docs/find-jobs.md). */
const action = z.enum(JOB_ACTIONS);

/** A time, a duration or a text: the parameter of `GET /v1/jobs` with this name says which. */
const parameter = z.union([z.string(), z.number()], { error: "must be a string or a number" }).optional();

/** The parameters of `GET /v1/jobs`, whose rules check the values. */
const filter = z
  .strictObject({
    state: z.array(z.enum(JOB_STATES)).min(1).optional(),
    endpoint: parameter,
    from: parameter,
    to: parameter,
    worker: parameter,
    version: parameter,
    error: parameter,
    id: parameter,
    tag: parameter,
    minDuration: parameter,
  })
  .meta({ id: "JobFilter", description: "At least one condition; they mean what those of findJobs mean." });

const named = z.strictObject({ endpoint: z.string().min(1).max(191), id });

export const JOBS_BODY = {
  schema: z
    .strictObject({
      filter: filter.optional(),
      jobs: z
        .array(named)
        .min(1)
        .max(NAMED_JOBS)
        .optional()
        .meta({ description: "These jobs; endpoints by id or name." }),
      dryRun: z.boolean().optional().meta({ description: "Only counts, and changes nothing." }),
    })
    .meta({ id: "ManyJobs", description: `Either filter or jobs. At most ${OPERATION_JOBS} jobs.` }),
  example: { filter: { state: ["FAILED"], error: "out of memory" }, dryRun: true },
  isRequired: true,
};

export type JobsBody = z.output<typeof JOBS_BODY.schema>;

export const ACTION_COUNT = {
  schema: z
    .strictObject({
      action,
      matches: count,
      eligible: count.meta({ description: "For how many of them the action can do something." }),
      skipped: z
        .strictObject(Object.fromEntries(SKIP_REASONS.map((reason) => [reason, count.optional()])))
        .meta({ description: "The others, by reason." }),
      isWhole: z.boolean().meta({ description: "False: only the newest 10,000 were counted." }),
    })
    .meta({ id: "ActionCount", description: "What an action would do." }),
  example: { action: "retry", matches: 31, eligible: 29, skipped: { JOB_NOT_FOUND: 2 }, isWhole: true },
};

const operation = z
  .strictObject({
    id,
    action,
    state: z.enum(OPERATION_STATES).meta({ description: "COMPLETED also if single jobs failed." }),
    matches: count.meta({
      description: "How many jobs there were at the beginning; once all were found, how many these are.",
    }),
    done: count,
    failed: count,
    skipped: count.meta({ description: "Jobs for which nothing could be done." }),
    createdAt: moment,
    endedAt: moment.optional(),
    reason: z.string().optional().meta({ description: "Why it is FAILED." }),
    errors: z
      .array(z.strictObject({ endpoint: id, id, code: z.string(), message: z.string() }))
      .max(KEPT_ERRORS)
      .meta({ description: "Of the first jobs that failed." }),
    jobs: z
      .array(z.strictObject({ endpoint: id, from: id, id }))
      .max(KEPT_MADE)
      .optional()
      .meta({ description: "The first new jobs, and those they were made from. Only of a resubmission." }),
  })
  .meta({ id: "JobOperation", description: "An action on many jobs, and how far it is." });

export const JOB_OPERATION = {
  schema: operation,
  example: {
    id: "4kd82hx0qpz7ma",
    action: "resubmit",
    state: "COMPLETED",
    matches: 1,
    done: 1,
    failed: 0,
    skipped: 0,
    createdAt: "2026-08-01T12:00:00.000Z",
    endedAt: "2026-08-01T12:00:00.210Z",
    errors: [],
    jobs: [{ endpoint: "7hq2mzkd41xw9c", from: JOB_ID, id: "019c2f6e-8b1a-7000-8c1e-0242ac120002-u1" }],
  },
};

export const JOB_OPERATIONS_LIST = {
  schema: z.strictObject({ operations: z.array(operation.omit({ jobs: true })) }),
  example: {
    operations: [
      {
        id: "4kd82hx0qpz7ma",
        action: "retry",
        state: "RUNNING",
        matches: 29,
        done: 12,
        failed: 0,
        skipped: 0,
        createdAt: "2026-08-01T12:00:00.000Z",
        errors: [],
      },
    ],
  },
};

export type ActionCountAnswer = Answered<typeof ACTION_COUNT.schema>;
export type JobOperationAnswer = Answered<typeof operation>;
export type JobOperationsAnswer = Answered<typeof JOB_OPERATIONS_LIST.schema>;

export function presentCount(
  what: JobAction,
  { matches, eligible, skipped, isWhole }: ActionCount,
): Shown<ActionCountAnswer> {
  return { action: what, matches, eligible, skipped, isWhole };
}

export function presentJobOperation(given: JobOperationView): Shown<JobOperationAnswer> {
  return { ...presentListed(given), jobs: given.action === "resubmit" ? given.made : undefined };
}

/** Without the jobs that it made. */
export function presentListed(given: JobOperationView): Shown<JobOperationsAnswer["operations"][number]> {
  const { state, matches, done, failed, skipped, errors, reason } = given;
  return {
    id: given.id,
    action: given.action,
    state,
    matches,
    done,
    failed,
    skipped,
    createdAt: dateText(given.createdAt),
    endedAt: dateText(given.endedAt),
    reason,
    errors,
  };
}
