import { ForebayError } from "../../domain/errors.ts";
import { UNFINISHED_STATES, type UnfinishedState } from "../../domain/transitions.ts";
import { requests } from "../../engine/requests.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { requestText } from "../present/record.ts";
import { parseQuery } from "../query.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

const LIMIT = { default: 100, max: 1_000 };

/** Spec 4.A.6 names the path and shows nothing more: the shape is ours (design, row 18). */
export function requestsRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "requests",
    methods: ["GET"],
    path: "/v2/{endpoint}/requests",
    async handle(call, { id: endpoint }) {
      const query = parseQuery(call.query);
      const limit = query.integer("limit", 1, LIMIT.max) ?? LIMIT.default;
      const state = parseState(query.text("status"));
      const from = parseCursor(query.text("cursor"));
      const { jobs, next } = await requests(engine, { endpoint, state, from, limit });
      const now = engine.clock.now();
      const rows = jobs.map((job) => requestText(job, now)).join(",");
      const cursor = next === undefined ? "" : `,"nextCursor":"${next.toString(CURSOR_RADIX)}"`;
      return jsonReply([`{"requests":[${rows}]${cursor}}`]);
    },
  });
}

function parseState(given: string | undefined): UnfinishedState | undefined {
  const state = UNFINISHED_STATES.find((state) => state === given);
  if (state !== undefined || given === undefined) return state;
  throw new ForebayError("INVALID_QUERY", `status is invalid; must be ${UNFINISHED_STATES.join(" or ")}.`);
}

/** Cursors are no numbers to clients. */
const CURSOR_RADIX = 36;

function parseCursor(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const position = /^[0-9a-z]{1,11}$/.test(given) ? Number.parseInt(given, CURSOR_RADIX) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  throw new ForebayError("INVALID_QUERY", "cursor is invalid; must be a nextCursor of this path.");
}
