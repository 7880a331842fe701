import { ForebayError } from "../../domain/errors.ts";
import { jobLogs, workerLogs } from "../../engine/worker-logs.ts";
import { endpointOf } from "../../engine/records/find-endpoint.ts";
import { accountRoute } from "../account-route.ts";
import type { LogLineAnswer } from "../answers/worker.ts";
import { dateText } from "../answers/members.ts";
import type { HttpContext } from "../context.ts";
import { ndjsonReply } from "../ndjson-reply.ts";
import { parseQuery } from "../query.ts";
import type { Route } from "../route.ts";

export const TAIL = { min: 0, max: 1_000_000 };

/** What the workers print: one line of JSON for each line of theirs. */
export function logRoutes(context: HttpContext): Route[] {
  const { engine, auth } = context;
  return [
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/workers/{worker}/logs",
      handle(call, { account }) {
        const [id = "", worker = ""] = call.parameters;
        const endpoint = endpointOf(engine, account, id).id;
        const query = parseQuery(call.query);
        const tail = query.integer("tail", TAIL.min, TAIL.max);
        const since = parseTime("since", query.text("since"));
        const follow = parseFollow(query.text("follow"));
        const held = auth.held(call.request);
        const { signal } = held;
        const lines = workerLogs(engine, { endpoint, worker, tail, since, follow, signal });
        return ndjsonReply(call, held, lines, { "x-worker-id": worker });
      },
    }),
    accountRoute(context, {
      methods: ["GET"],
      path: "/v1/endpoints/{endpoint}/jobs/{job}/logs",
      async handle(call, { account }) {
        const [id = "", job = ""] = call.parameters;
        const { worker, lines } = await jobLogs(engine, endpointOf(engine, account, id).id, job);
        const said = saidFirst(engine.clock.now(), `Worker ${worker} printed this while it had job ${job}.`);
        return ndjsonReply(call, auth.held(call.request), behind(said, lines), { "x-worker-id": worker });
      },
    }),
  ];
}

/** Whose lines follow: several jobs can run at one worker, and no line tells whose it is. */
function saidFirst(now: number, sentence: string): Uint8Array {
  const line = `${sentence} Lines of other jobs that it had meanwhile are among them.`;
  const said: LogLineAnswer = { time: dateText(now), stream: "forebay", line };
  return Buffer.from(`${JSON.stringify(said)}\n`);
}

async function* behind(first: Uint8Array, lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* lines;
}

function parseTime(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const isTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,18}(Z|[+-][0-9]{2}:[0-9]{2})$/.test(given);
  const time = isTime ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ForebayError("INVALID_QUERY", `${name} is invalid; must be a time like 2026-01-31T12:00:00Z.`);
}

function parseFollow(given: string | undefined): boolean {
  if (given === undefined || given === "false") return false;
  if (given === "true") return true;
  throw new ForebayError("INVALID_QUERY", "follow is invalid; must be true or false.");
}
