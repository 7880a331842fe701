import type { Access } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { JobAction, JobName } from "../../domain/job-operation.ts";
import type { Engine } from "../../engine/engine.ts";
import { beginOperation, countJobs } from "../../engine/job-operations/begin-operation.ts";
import type { JobSelection } from "../../engine/job-operations/job-operation.ts";
import {
  jobOperation,
  jobOperations,
  stopJobOperation,
} from "../../engine/job-operations/known-operations.ts";
import { resolveEndpoint } from "../../engine/records/find-endpoint.ts";
import { accountOperation, shownEndpoints } from "../account-operation.ts";
import {
  ACTION_COUNT,
  JOB_OPERATION,
  JOB_OPERATIONS_LIST,
  type JobOperationsAnswer,
  JOBS_BODY,
  type JobsBody,
  presentCount,
  presentJobOperation,
  presentListed,
} from "../answers/job-operation.ts";
import { passOverBody } from "../body.ts";
import { queryOf } from "../parameters.ts";
import { jsonValue } from "../reply.ts";
import { jobFilter } from "./find-jobs.ts";
import { JOB_FILTERS } from "./job-filters.ts";

const HOW =
  "The jobs are those of a filter, or those that are named. Runs in the background; the answer is the " +
  "operation. With `dryRun` it only counts. A key that is bound to endpoints acts on those.";

interface ManyJobsAction<Id extends string> {
  readonly id: Id;
  readonly path: `/v1/jobs/${JobAction}`;
  readonly action: JobAction;
  readonly summary: string;
  readonly description: string;
}

/** An action on many jobs. */
function onMany<Id extends string>({ id, path, action, summary, description }: ManyJobsAction<Id>) {
  return accountOperation({
    id,
    method: "POST",
    path,
    access: "write",
    isShownInPart: true,
    tag: "history",
    summary,
    description: `${description} ${HOW}`,
    body: JOBS_BODY,
    answers: {
      200: { description: "What it would do, for `dryRun`.", json: ACTION_COUNT },
      202: { description: "The operation, which runs now.", json: JOB_OPERATION },
    },
    errors: ["TOO_MANY_JOBS", "TOO_MANY_OPERATIONS", "CHANGED_MEANWHILE", "STORAGE_FULL"],
    async handle({ engine }, _call, { access, body }) {
      const given = await body();
      const selection = selectionOf(engine, access, given);
      if (given.dryRun === true) {
        return jsonValue(presentCount(action, await countJobs(engine, action, selection)));
      }
      const begun = await beginOperation(engine, access.account, action, selection);
      return jsonValue(presentJobOperation(begun), 202);
    },
  });
}

const retry = onMany({
  id: "retryJobs",
  path: "/v1/jobs/retry",
  action: "retry",
  summary: "Retry many jobs",
  description:
    "Jobs that are FAILED or TIMED_OUT and whose result has not expired run again with the same ids.",
});

const resubmit = onMany({
  id: "resubmitJobs",
  path: "/v1/jobs/resubmit",
  action: "resubmit",
  summary: "Submit many jobs once more",
  description: "Jobs whose inputs are kept are submitted as new jobs, with the same input and policy.",
});

const cancel = onMany({
  id: "cancelJobs",
  path: "/v1/jobs/cancel",
  action: "cancel",
  summary: "Cancel many jobs",
  description: "Jobs that wait or run are cancelled.",
});

const list = accountOperation({
  id: "listJobOperations",
  method: "GET",
  path: "/v1/job-operations",
  access: "read",
  isShownInPart: true,
  tag: "history",
  summary: "List actions on many jobs",
  description: "The newest first. Ended ones are kept for a day, at most 20 of them.",
  answers: { 200: { description: "The operations.", json: JOB_OPERATIONS_LIST } },
  async handle({ engine }, _call, { access }) {
    const operations = jobOperations(engine, access).map(presentListed);
    return jsonValue({ operations } satisfies JobOperationsAnswer);
  },
});

const read = accountOperation({
  id: "readJobOperation",
  method: "GET",
  path: "/v1/job-operations/{operation}",
  access: "read",
  isShownInPart: true,
  tag: "history",
  summary: "Read how far an action on many jobs is",
  answers: { 200: { description: "The operation.", json: JOB_OPERATION } },
  async handle({ engine }, { parameters: [id = ""] }, { access }) {
    return jsonValue(presentJobOperation(jobOperation(engine, access, id)));
  },
});

const stop = accountOperation({
  id: "cancelJobOperation",
  method: "POST",
  path: "/v1/job-operations/{operation}/cancel",
  access: "write",
  isShownInPart: true,
  tag: "history",
  summary: "Stop an action on many jobs",
  description: "What it has done stays done. An operation that has ended stays as it is.",
  passesOverBody: true,
  answers: { 200: { description: "The operation.", json: JOB_OPERATION } },
  errors: ["CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, call, { access }) {
    const [id = ""] = call.parameters;
    await passOverBody(call);
    return jsonValue(presentJobOperation(await stopJobOperation(engine, access, id)));
  },
});

/** Actions on many jobs, and how far they are (docs/find-jobs.md). */
export const MANY_JOBS_OPERATIONS = [retry, resubmit, cancel, list, read, stop] as const;

function selectionOf(engine: Engine, access: Access, { filter, jobs }: JobsBody): JobSelection {
  if ((filter === undefined) === (jobs === undefined)) {
    throw invalid("The body must have either filter or jobs.");
  }
  if (filter !== undefined) {
    const found = filterOf(engine, access, filter);
    return { endpoints: found.endpoints, filter: found };
  }
  const named = (jobs ?? []).map((job, index) => nameOf(engine, access, job, index));
  const byName = new Map(named.map((job) => [`${job.endpoint}/${job.id}`, job]));
  return { endpoints: [...new Set(named.map(({ endpoint }) => endpoint))], jobs: [...byName.values()] };
}

/** The conditions are read as those of `GET /v1/jobs` are. */
function filterOf(engine: Engine, access: Access, given: NonNullable<JobsBody["filter"]>) {
  const values = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  if (values.length === 0) {
    throw invalid("filter has no condition. Name at least one, such as state, endpoint or tag.");
  }
  try {
    const query = new URLSearchParams(values).toString();
    return jobFilter(engine, access, queryOf("findJobs", JOB_FILTERS, { query }));
  } catch (error) {
    if (!(error instanceof ForebayError)) throw error;
    throw invalid(`filter.${error.message}`);
  }
}

function nameOf(engine: Engine, access: Access, { endpoint, id }: JobName, index: number): JobName {
  const found = resolveEndpoint(engine, access.account, endpoint);
  if (found !== undefined && shownEndpoints(engine, access).some((shown) => shown.id === found.id)) {
    return { endpoint: found.id, id };
  }
  throw invalid(`jobs.${index}.endpoint: there is no endpoint ${endpoint}.`);
}

function invalid(sentence: string): ForebayError {
  return new ForebayError("INVALID_FIELD", sentence);
}
