import { WAIT } from "../../domain/policy.ts";
import { isTerminal, type JobState } from "../../domain/transitions.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import type { Engine } from "../../engine/engine.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { recordParts } from "../present/record.ts";
import { parseQuery } from "../query.ts";
import { lateReply } from "../late-reply.ts";
import type { Route } from "../route.ts";
import { submitCall } from "./submit.ts";

/**
 * Spec 4.A, runsync. The `wait` is how long the call is held, and the result stays for as long, though never
 * less than the endpoint says (design, row 3). Whatever state the job is in by then, the answer is its
 * record. The id goes ahead, so that a caller whose connection breaks can pick the job up (row 22).
 */
export function runsyncRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "runsync",
    methods: ["POST"],
    path: "/v2/{endpoint}/runsync",
    async handle(call, endpoint) {
      const wait = parseQuery(call.query).duration("wait", WAIT);
      const { id, state } = await submitCall(context, call, endpoint, "runsync", wait);
      const until = engine.clock.now() + (wait ?? WAIT.default);
      return lateReply(context, call, { "x-job-id": id }, async () => {
        using held = context.auth.held(call.request);
        const job = await awaitEnd(engine, endpoint.id, id, until, held.signal);
        return job === undefined
          ? [goneRecord(engine, endpoint.id, id, state)]
          : recordParts(engine, job, call.dialect);
      });
    },
  });
}

/**
 * A job that is gone while its caller waits was removed by purge-queue (design, row 10) or with its endpoint,
 * unless an earlier call has made it and it had ended by now: then its key still knows how (row 22).
 */
function goneRecord({ configuration }: Engine, endpoint: string, id: string, state: JobState): string {
  if (isTerminal(state)) return `{"id":"${id}","status":"${state}"}`;
  const known = configuration.get("endpoint", endpoint);
  const isThere = known !== undefined && known.deletedAt === undefined;
  const error = isThere ? "removed by purge-queue" : "removed with its endpoint";
  return `{"id":"${id}","status":"CANCELLED","error":"${error}"}`;
}
