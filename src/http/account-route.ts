import { MANAGEMENT_RATE_LIMIT } from "../domain/rate-limits.ts";
import type { Call } from "./call.ts";
import type { HttpContext } from "./context.ts";
import type { Route } from "./route.ts";

/** An operation of the management API, which works on what belongs to an account. */
export interface AccountOperation extends Pick<Route, "methods"> {
  readonly path: `/v1/${string}`;
  readonly handle: (call: Call, account: string) => Response | Promise<Response>;
}

/** Its route: refuses whoever has no key, and then an account that calls too often. */
export function accountRoute(
  { auth, rateLimiter }: HttpContext,
  { methods, path, handle }: AccountOperation,
): Route {
  return {
    methods,
    path,
    async handle(call) {
      const account = auth.account(call.request);
      // No id has a slash: an endpoint of the account's name counts on its own.
      return rateLimiter.limit(call, `account/${account}`, "management", MANAGEMENT_RATE_LIMIT, () =>
        handle(call, account),
      );
    },
  };
}
