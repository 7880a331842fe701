import { ForebayError } from "../domain/errors.ts";
import type { Configuration } from "../engine/records/configuration.ts";
import type { Route } from "./router.ts";

/** Among them a sign-in, whose key is in its body. */
const MANAGEMENT = ["/v1/", "/console/session"];

/**
 * The route on a server that shares its data: what one server has answered as done is known to the next call,
 * whichever server that reaches. Management calls look for it first, the others only if the key is not known
 * here, or the endpoint (`clientOperation`). A change of what is known comes within the second.
 */
export function currentRoute(route: Route, configuration: Configuration): Route {
  if (MANAGEMENT.some((path) => route.path.startsWith(path))) {
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
        // Who sends is looked at before the body, which can be read only once.
        if (!(error instanceof ForebayError && error.code === "KEY_UNKNOWN")) throw error;
      }
      await configuration.refresh();
      return route.handle(call);
    },
  };
}
