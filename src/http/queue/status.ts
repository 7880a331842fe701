import { STATUS_TTL } from "../../domain/policy.ts";
import { status, statusWithTtl } from "../../engine/status.ts";
import { ACCESS_WITHIN } from "../access.ts";
import { payloadReply } from "../answer-room.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { methodNotAllowed } from "../errors-with-headers.ts";
import { requireScope } from "../opened.ts";
import { recordParts, shownPayloads } from "../present/record.ts";
import { parseQuery } from "../query.ts";
import type { Route } from "../route.ts";

/** Spec 4.A, status; POST as well, because one public SDK posts. */
export function statusRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "status",
    methods: ["GET", "POST"],
    path: "/v2/{endpoint}/status/{job}",
    async handle(call, endpoint, access) {
      const [, id = ""] = call.parameters;
      const ttl = parseQuery(call.query).duration("ttl", STATUS_TTL);
      if (ttl !== undefined && call.request.method === "HEAD")
        throw methodNotAllowed("HEAD", ["GET", "POST"]);
      if (ttl !== undefined) requireScope(access, ACCESS_WITHIN["status?ttl="], "The parameter ttl");
      const job =
        ttl === undefined
          ? await status(engine, endpoint.id, id)
          : await statusWithTtl(engine, endpoint.id, id, ttl);
      const { dialect } = call;
      return payloadReply(call, context.answers.clients, shownPayloads(job, dialect), () =>
        recordParts(engine, job, dialect),
      );
    },
  });
}
