import { ForebayError } from "../domain/errors.ts";
import type { Configuration } from "../engine/records/configuration.ts";
import type { Route } from "./router.ts";

/** One of them is the sign-in, whose key is in its body. */
const MANAGEMENT = /^\/(?:v1\/|console\/session|v2\/[^{])/;

/**
 * The route on a server that shares its data. What one server has confirmed, the next call sees on any
 * server: management calls refresh the configuration first, others only if this server does not know the key
 * or the endpoint (`clientOperation`). Other changes arrive within a second.
 */
export function currentRoute(route: Route, configuration: Configuration): Route {
  if (MANAGEMENT.test(route.path)) {
    return {
      ...route,
      async handle(call) {
        await configuration.refresh();
        return route.handle(call);
      },
    };
  }
  return {
    ...route,
    async handle(call) {
      try {
        return await route.handle(call);
      } catch (error) {
        // The key is checked before the body is read, which is possible only once.
        if (!(error instanceof ForebayError && error.code === "KEY_UNKNOWN")) throw error;
      }
      await configuration.refresh();
      return route.handle(call);
    },
  };
}
