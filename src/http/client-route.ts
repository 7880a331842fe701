import type { Access } from "../domain/account.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { type LimitedOperation, rateLimitOf } from "../domain/rate-limits.ts";
import { endpointNotFound } from "../engine/records/find-endpoint.ts";
import { type KeyPath, scopesOf } from "./access.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { openedEndpoint, requireScope } from "./opened.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./route.ts";

/** An operation that clients call on an endpoint, whose id or name is the first parameter of the path. */
export interface ClientOperation extends Pick<Route, "methods"> {
  readonly operation: LimitedOperation;
  readonly path: Extract<KeyPath, `/v2/{endpoint}/${string}`>;
  readonly handle: (call: Call, endpoint: Endpoint, access: Access) => Promise<Reply>;
}

/**
 * Its route: refuses whoever has no key to the endpoint, or one that may not do this, and then whoever calls
 * too often, before anything of the request is read.
 */
export function clientRoute(
  context: HttpContext,
  { operation, methods, path, handle }: ClientOperation,
): Route {
  const { engine, auth, rateLimiter } = context;
  const scopes = scopesOf(path, methods);

  function limited(call: Call, endpoint: Endpoint | undefined, access: Access): Promise<Reply> {
    if (endpoint === undefined) throw endpointNotFound(call.parameters[0] ?? "");
    const limit = rateLimitOf(operation, endpoint.rateLimits);
    return rateLimiter.limit(call, endpoint.id, operation, limit, () => handle(call, endpoint, access));
  }

  /** Another server may have created the endpoint, or given it this name, a moment ago. */
  async function lookedForAgain(call: Call, access: Access): Promise<Reply> {
    await engine.configuration.refresh();
    return limited(call, openedEndpoint(engine, access, call), access);
  }

  return {
    methods,
    path,
    handle(call) {
      const access = auth.access(call);
      requireScope(access, scopes.get(call.request.method) ?? "admin");
      const endpoint = openedEndpoint(engine, access, call);
      if (endpoint === undefined && engine.store.shared !== undefined) return lookedForAgain(call, access);
      return limited(call, endpoint, access);
    },
  };
}
