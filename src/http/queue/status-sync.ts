import { WAIT } from "../../domain/policy.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import { found } from "../../engine/status.ts";
import { payloadReply } from "../answer-room.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { recordParts, shownPayloads } from "../present/record.ts";
import { parseQuery } from "../query.ts";
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
      const job = found(await awaitEnd(engine, endpoint.id, id, until, held.signal), id);
      const { dialect } = call;
      // Awaited: what is held is let go of at the end.
      return await payloadReply(call, context.answers.clients, shownPayloads(job, dialect), () =>
        recordParts(engine, job, dialect),
      );
    },
  });
}
