import type { Access } from "../../domain/account.ts";
import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import { findJobs } from "../../engine/find/find-jobs.ts";
import type { FoundJob, JobFilter } from "../../domain/found-job.ts";
import { bodyOfOne, jobNotFound, oneJob } from "../../engine/find/one-job.ts";
import { resolveEndpoint } from "../../engine/records/find-endpoint.ts";
import { accountOperation, shownEndpoints } from "../account-operation.ts";
import {
  FOUND_JOB,
  FOUND_JOBS,
  type FoundJobAnswer,
  type FoundJobsAnswer,
  presentFoundJob,
} from "../answers/found-job.ts";
import { JOB_INPUT } from "../answers/job.ts";
import { integer, type QueryOf } from "../parameters.ts";
import { jsonValue } from "../reply.ts";
import { inputReply } from "./jobs.ts";
import { cursorOf, JOB_CURSOR, JOB_FILTERS } from "./job-filters.ts";

const LIMIT = { default: 100, max: 1_000 };

const list = accountOperation({
  id: "findJobs",
  method: "GET",
  path: "/v1/jobs",
  access: "read",
  isShownInPart: true,
  tag: "history",
  summary: "Find jobs on all endpoints",
  description:
    "Jobs that wait or run, the newest in the queue first; then finished ones of the history, the newest " +
    "end first, there about a second after their end. A key that is bound to endpoints sees those.",
  query: {
    ...JOB_FILTERS,
    limit: integer(1, LIMIT.max, `Maximum number of jobs. Default: ${LIMIT.default}.`),
    cursor: JOB_CURSOR,
  },
  answers: {
    200: { description: "The jobs. A short page can have another one behind it.", json: FOUND_JOBS },
  },
  async handle({ engine }, _call, { access, query }) {
    const { cursor, limit = LIMIT.default, ...filters } = query();
    const page = await findJobs(engine, jobFilter(engine, access, filters), cursor, limit);
    return jsonValue({
      jobs: page.jobs.flatMap((job) => shown(engine, access, job)),
      historyMs: engine.historyLimits.age,
      nextCursor: page.next && cursorOf(page.next),
    } satisfies FoundJobsAnswer);
  },
});

const read = accountOperation({
  id: "findJob",
  method: "GET",
  path: "/v1/jobs/{job}",
  access: "read",
  isShownInPart: true,
  tag: "history",
  summary: "Find a job by its id",
  description: "On any endpoint that the key opens: in a queue, or in the history.",
  answers: { 200: { description: "The job.", json: FOUND_JOB } },
  async handle({ engine }, { parameters: [id = ""] }, { access }) {
    const job = await oneJob(engine, idsOf(shownEndpoints(engine, access)), id);
    const [answer] = shown(engine, access, job);
    // Its endpoint was deleted meanwhile.
    if (answer === undefined) throw jobNotFound(id);
    return jsonValue(answer satisfies FoundJobAnswer);
  },
});

const readInput = accountOperation({
  id: "findJobInput",
  method: "GET",
  path: "/v1/jobs/{job}/input",
  access: "read",
  isShownInPart: true,
  tag: "history",
  summary: "Read the input of a job, by the id of the job",
  description: "Of a finished job if the history keeps it: by default that of one that failed or timed out.",
  answers: { 200: { description: "The input, byte for byte.", json: JOB_INPUT } },
  errors: ["INPUT_NOT_KEPT"],
  async handle(context, call, { access }) {
    const { engine } = context;
    const [id = ""] = call.parameters;
    return inputReply(context, call, id, await bodyOfOne(engine, idsOf(shownEndpoints(engine, access)), id));
  },
});

/** Jobs of all endpoints by what is known of them: list, read, input (docs/find-jobs.md). */
export const FIND_JOB_OPERATIONS = [list, read, readInput] as const;

type Filters = QueryOf<typeof JOB_FILTERS>;

/** The filter of a caller: among the endpoints that the key opens. Throws INVALID_QUERY. */
export function jobFilter(engine: Engine, access: Access, filters: Filters): JobFilter {
  const { state, endpoint, id, minDuration, ...others } = filters;
  const all = idsOf(shownEndpoints(engine, access));
  const endpoints = endpoint === undefined ? all : [openedId(engine, access, endpoint, all)];
  return { ...others, endpoints, states: state, idPrefix: id, minMs: minDuration };
}

function openedId(engine: Engine, { account }: Access, text: string, opened: readonly string[]): string {
  const id = resolveEndpoint(engine, account, text)?.id;
  if (id !== undefined && opened.includes(id)) return id;
  throw new ForebayError("INVALID_QUERY", `endpoint is invalid; there is no endpoint ${text}.`);
}

function idsOf(endpoints: readonly Endpoint[]): string[] {
  return endpoints.map(({ id }) => id);
}

/** The answer about a job; none if its endpoint is not there any more. */
function shown(engine: Engine, { account }: Access, job: FoundJob) {
  const endpoint = resolveEndpoint(engine, account, job.endpoint);
  return endpoint === undefined ? [] : [presentFoundJob(job, endpoint, engine.clock.now())];
}
