import { ForebayError } from "../../domain/errors.ts";
import { JOB_STATES, type JobState } from "../../domain/transitions.ts";
import { requests } from "../../engine/requests.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { requestText } from "../present/record.ts";
import { parseQuery } from "../query.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

export const REQUESTS_LIMIT = { default: 100, max: 1_000 };

/** Spec 4.A.6 names the path and shows nothing more: the shape is ours (design, row 18). */
export function requestsRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "requests",
    methods: ["GET"],
    path: "/v2/{endpoint}/requests",
    async handle(call, { id: endpoint }) {
      const query = parseQuery(call.query);
      const limit = query.integer("limit", 1, REQUESTS_LIMIT.max) ?? REQUESTS_LIMIT.default;
      const state = parseState(query.text("status"));
      const from = query.text("cursor");
      const { jobs, next } = await requests(engine, { endpoint, state, from, limit });
      const now = engine.clock.now();
      const rows = jobs.map((job) => requestText(job, now)).join(",");
      const cursor = next === undefined ? "" : `,"nextCursor":"${next}"`;
      return jsonReply([`{"requests":[${rows}]${cursor}}`]);
    },
  });
}

function parseState(given: string | undefined): JobState | undefined {
  const state = JOB_STATES.find((state) => state === given);
  if (state !== undefined || given === undefined) return state;
  throw new ForebayError("INVALID_QUERY", `status is invalid; must be one of ${JOB_STATES.join(", ")}.`);
}
