import { ForebayError } from "../domain/errors.ts";
import type { Configuration } from "../engine/records/configuration.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";

/** Among them a sign-in, whose key is in its body. */
const MANAGEMENT = ["/v1/", "/console/session"];

/** Paths whose first id is that of an endpoint. */
const OF_ENDPOINT = /^\/v2\/\{endpoint\}/;

/**
 * The route on a server that shares its data: what one server has answered as done is known to the next call,
 * whichever server that reaches. Management calls look for it first, the others only when what they name is
 * not known here. A change of what is known comes within the second.
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
  const isOfEndpoint = OF_ENDPOINT.test(route.path);

  function isUnknown({ parameters: [id = ""] }: Call): boolean {
    return isOfEndpoint && configuration.get("endpoint", id) === undefined;
  }

  return {
    ...route,
    async handle(call) {
      // Without its settings a job would get the times of an endpoint that has none of its own.
      if (isUnknown(call)) await configuration.refresh();
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
