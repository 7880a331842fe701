import { WAIT } from "../../domain/policy.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import { found } from "../../engine/status.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { recordParts } from "../present/record.ts";
import { parseQuery } from "../query.ts";
import { jsonReply } from "../reply.ts";
import type { Route } from "../route.ts";

/** The status once the job has ended, or when `wait` is over: the public SDKs go on with it after runsync. */
export function statusSyncRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "status-sync",
    methods: ["GET", "POST"],
    path: "/v2/{endpoint}/status-sync/{job}",
    async handle(call, endpoint) {
      const [, id = ""] = call.parameters;
      const wait = parseQuery(call.query).duration("wait", WAIT) ?? WAIT.default;
      const until = engine.clock.now() + wait;
      using held = context.auth.held(call.request);
      const job = await awaitEnd(engine, endpoint.id, id, until, held.signal);
      return jsonReply(await recordParts(engine, found(job, id), call.dialect));
    },
  });
}
