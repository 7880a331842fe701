import type { z } from "zod";
import type { Access } from "../domain/account.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { type LimitedOperation, RATE_LIMITS, rateLimitOf } from "../domain/rate-limits.ts";
import type { Scope } from "../domain/scope.ts";
import { endpointNotFound } from "../engine/records/find-endpoint.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { noteIgnoredQuery } from "./ignored.ts";
import { openedEndpoint, requireScope } from "./opened.ts";
import type { Answers, Definition, Given, NoQuery, Operation } from "./operation.ts";
import { queryOf, type QueryParameters } from "./parameters.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./router.ts";

/** What a handler gets besides the call. It reads the body itself, whose bytes go to the worker. */
interface ClientGiven<Query extends QueryParameters> extends Pick<Given<Query, z.ZodNever>, "query"> {
  readonly endpoint: Endpoint;
  readonly access: Access;
}

interface OnEndpoint {
  readonly path: `/v2/{endpoint}/${string}`;
  readonly access: Scope;
  /** The operation whose rate limit it has, and counts against. */
  readonly limit: LimitedOperation;
}

/**
 * An operation that clients call on an endpoint, whose id or name is the first parameter of the path. It
 * refuses callers without a key to the endpoint, then keys without the scope, then callers above the rate
 * limit. It does so before it reads anything else of the request.
 */
export function clientOperation<
  Id extends string,
  Query extends QueryParameters = NoQuery,
  Body extends z.ZodType = z.ZodNever,
  Answered extends Answers = Answers,
>(
  definition: Definition<Id, Query, Body, Answered, ClientGiven<Query>> & OnEndpoint,
): Operation<Id, Query, Body, Answered> {
  const rateLimit = RATE_LIMITS[definition.limit];
  return { ...definition, rateLimit, serve: (context) => handlerOf(definition, context) };
}

function handlerOf<Query extends QueryParameters>(
  definition: Definition<string, Query, z.ZodType, Answers, ClientGiven<Query>> & OnEndpoint,
  context: HttpContext,
): Route["handle"] {
  const { id, access: scope, limit: operation, query, handle } = definition;
  const { engine, auth, rateLimiter } = context;
  /** Undefined where the query goes to the worker. */
  const known = definition.path.endsWith("{route}") ? undefined : Object.keys(query ?? {});

  function limited(call: Call, endpoint: Endpoint | undefined, access: Access): Promise<Reply> {
    if (endpoint === undefined) throw endpointNotFound(call.parameters[0] ?? "");
    const limit = rateLimitOf(operation, endpoint.rateLimits);
    const given = { endpoint, access, query: () => queryOf(id, query, call) };
    return rateLimiter.limit(call, endpoint.id, operation, limit, () => handle(context, call, given));
  }

  /** Another server can have created the endpoint, or given it this name, a moment ago. */
  async function lookedForAgain(call: Call, access: Access): Promise<Reply> {
    await engine.configuration.refresh();
    return limited(call, openedEndpoint(engine, access, call), access);
  }

  return (call) => {
    if (call.query !== "" && known !== undefined) noteIgnoredQuery(call, known);
    const access = auth.access(call);
    requireScope(access, scope);
    const endpoint = openedEndpoint(engine, access, call);
    if (endpoint === undefined && engine.store.shared !== undefined) return lookedForAgain(call, access);
    return limited(call, endpoint, access);
  };
}
