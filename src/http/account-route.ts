import type { Access } from "../domain/account.ts";
import { MANAGEMENT_RATE_LIMIT } from "../domain/rate-limits.ts";
import { type KeyPath, scopesOf } from "./access.ts";
import { endpointNotFound } from "../engine/records/find-endpoint.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import { openedEndpoint, requireScope, requireUnbound } from "./opened.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./route.ts";

/** An operation that counts against the account of its caller: the management API, and the metrics. */
export interface AccountOperation extends Pick<Route, "methods"> {
  readonly path: Extract<KeyPath, `/v1/${string}` | "/metrics">;
  readonly handle: (call: Call, access: Access) => Reply | Promise<Reply>;
}

/** Its route: refuses whoever has no key that may do this, and then an account that calls too often. */
export function accountRoute(
  { engine, auth, rateLimiter }: HttpContext,
  { methods, path, handle }: AccountOperation,
): Route {
  const scopes = scopesOf(path, methods);
  const isOfEndpoint = path.includes("{endpoint}");
  return {
    methods,
    path,
    async handle(call) {
      const access = auth.access(call);
      requireScope(access, scopes.get(call.request.method) ?? "admin");
      if (!isOfEndpoint) requireUnbound(access, path);
      // No id has a slash: an endpoint of the account's name counts on its own.
      return rateLimiter.limit(call, `account/${access.account}`, "management", MANAGEMENT_RATE_LIMIT, () => {
        if (isOfEndpoint && openedEndpoint(engine, access, call) === undefined) {
          throw endpointNotFound(call.parameters[0] ?? "");
        }
        return handle(call, access);
      });
    },
  };
}
