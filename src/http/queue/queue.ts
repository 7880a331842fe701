import { JOB_STATES } from "../../domain/transitions.ts";
import { health as countsOf } from "../../engine/health.ts";
import { purge } from "../../engine/purge.ts";
import { requests as jobsOf } from "../../engine/requests.ts";
import { passOverBody } from "../body.ts";
import { clientOperation } from "../client-operation.ts";
import { REQUESTS } from "../answers/job.ts";
import { HEALTH, presentHealth, PURGED, type PurgedAnswer } from "../answers/queue.ts";
import { choice, integer, plainText } from "../parameters.ts";
import { requestText } from "../present/record.ts";
import { jsonReply, jsonValue } from "../reply.ts";

/** Spec 4.A, purge-queue. A body is ignored. */
export const purgeQueue = clientOperation({
  id: "purgeQueue",
  method: "POST",
  path: "/v2/{endpoint}/purge-queue",
  access: "write",
  limit: "purge-queue",
  tag: "queue",
  summary: "Remove all waiting jobs",
  description: "Running jobs are left alone.",
  passesOverBody: true,
  answers: { 200: { description: "How many were removed.", json: PURGED } },
  async handle({ engine }, call, { endpoint }) {
    await passOverBody(call);
    const removed = await purge(engine, endpoint.id);
    return jsonValue({ removed, status: "completed" } satisfies PurgedAnswer);
  },
});

/** Spec 4.A, health. The public SDKs read more counts of workers than idle and running. */
export const health = clientOperation({
  id: "health",
  method: "GET",
  path: "/v2/{endpoint}/health",
  access: "read",
  limit: "health",
  tag: "queue",
  summary: "Count jobs and workers",
  answers: { 200: { description: "The counts.", json: HEALTH } },
  async handle({ engine }, _call, { endpoint }) {
    return jsonValue(presentHealth(await countsOf(engine, endpoint.id)));
  },
});

const LIMIT = { default: 100, max: 1_000 };

/** Spec 4.A.6 only names the path: the shape is ours (design, row 18). */
export const requests = clientOperation({
  id: "requests",
  method: "GET",
  path: "/v2/{endpoint}/requests",
  access: "read",
  limit: "requests",
  tag: "queue",
  summary: "List jobs",
  description: "The newest first, page by page; a page can be short, or empty, and have a `nextCursor`.",
  query: {
    status: choice(JOB_STATES, "Only jobs in this state."),
    limit: integer(1, LIMIT.max, `The length of a page. Default: ${LIMIT.default}.`),
    cursor: plainText("The `nextCursor` of the page before, with the same `status`."),
  },
  answers: { 200: { description: "A page.", json: REQUESTS } },
  async handle({ engine }, _call, { endpoint: { id: endpoint }, query }) {
    const { status: state, limit = LIMIT.default, cursor: from } = query();
    const { jobs, next } = await jobsOf(engine, { endpoint, state, from, limit });
    const now = engine.clock.now();
    const rows = jobs.map((job) => requestText(job, now)).join(",");
    const cursor = next === undefined ? "" : `,"nextCursor":"${next}"`;
    return jsonReply([`{"requests":[${rows}]${cursor}}`]);
  },
});
