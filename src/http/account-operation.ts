import type { z } from "zod";
import type { Access } from "../domain/account.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { MANAGEMENT_RATE_LIMIT } from "../domain/rate-limits.ts";
import type { Scope } from "../domain/scope.ts";
import type { WithConfiguration } from "../engine/records/configuration.ts";
import { endpointNotFound, endpointsOf } from "../engine/records/find-endpoint.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { openedEndpoint, requireScope, requireUnbound } from "./opened.ts";
import {
  type Answers,
  type Definition,
  type Given,
  givenOf,
  type NoQuery,
  type Operation,
} from "./operation.ts";
import type { QueryParameters } from "./parameters.ts";
import type { Reply } from "./reply.ts";

/** What a handler gets as well: what the caller's key opens. */
interface WithAccess<Query extends QueryParameters, Body extends z.ZodType> extends Given<Query, Body> {
  readonly access: Access;
}

/** The same, and the endpoint of the path, which the key opens. */
interface WithEndpoint<Query extends QueryParameters, Body extends z.ZodType> extends WithAccess<
  Query,
  Body
> {
  readonly endpoint: Endpoint;
}

/**
 * An operation of the management API, or the metrics, on the account of the caller. Refuses callers without a
 * key that may do this, then an account that calls too often: each call counts against its rate limit.
 */
export function accountOperation<
  Id extends string,
  Query extends QueryParameters = NoQuery,
  Body extends z.ZodType = z.ZodNever,
  Answered extends Answers = Answers,
>(
  definition: Definition<Id, Query, Body, Answered, WithAccess<Query, Body>> & {
    readonly access: Scope;
    /** Keys that are bound to endpoints can call it too, and see only those. */
    readonly isShownInPart?: true;
  },
): Operation<Id, Query, Body, Answered> {
  const { id, path, access: scope, handle, isShownInPart = false } = definition;
  if (path.includes("{endpoint}")) throw new Error(`${id} is an operation on an endpoint`);
  return {
    ...definition,
    rateLimit: MANAGEMENT_RATE_LIMIT,
    serve: (context) => async (call) => {
      const access = context.auth.access(call);
      requireScope(access, scope);
      if (!isShownInPart) requireUnbound(access);
      return limited(context, call, access, () =>
        handle(context, call, { access, ...givenOf(definition, context, call) }),
      );
    },
  };
}

/** The account's endpoints that the key opens, the oldest first. */
export function shownEndpoints(
  engine: WithConfiguration,
  { account, endpoints: opened }: Access,
): Endpoint[] {
  return endpointsOf(engine, account).filter(({ id }) => opened?.includes(id) !== false);
}

/** The same on an endpoint, whose id or name is the first parameter of the path. */
export function endpointOperation<
  Id extends string,
  Query extends QueryParameters = NoQuery,
  Body extends z.ZodType = z.ZodNever,
  Answered extends Answers = Answers,
>(
  definition: Definition<Id, Query, Body, Answered, WithEndpoint<Query, Body>> & {
    readonly access: Scope;
    readonly path: `/v1/endpoints/{endpoint}${string}` | `/v2/serverless/{endpoint}${string}`;
  },
): Operation<Id, Query, Body, Answered> {
  const { access: scope, handle } = definition;
  return {
    ...definition,
    rateLimit: MANAGEMENT_RATE_LIMIT,
    serve: (context) => async (call) => {
      const access = context.auth.access(call);
      requireScope(access, scope);
      return limited(context, call, access, () => {
        const endpoint = openedEndpoint(context.engine, access, call);
        if (endpoint === undefined) throw endpointNotFound(call.parameters[0] ?? "");
        return handle(context, call, { access, endpoint, ...givenOf(definition, context, call) });
      });
    },
  };
}

/**
 * All calls of an account count together. An endpoint with the name of the account counts separately, because
 * no id has a slash.
 */
function limited(
  { rateLimiter }: HttpContext,
  call: Call,
  { account }: Access,
  handle: () => Reply | Promise<Reply>,
): Promise<Reply> {
  return rateLimiter.limit(call, `account/${account}`, "management", MANAGEMENT_RATE_LIMIT, handle);
}
