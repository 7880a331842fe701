import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** The process answers, with its time: that of deadlines and of all that it tells. */
export function healthzRoute({ engine: { clock } }: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/healthz",
    handle: () => jsonValue({ status: "ok", time: new Date(clock.now()).toISOString() }),
  };
}

/**
 * The server takes requests: 503 from the moment it is told to stop, and while the database that it shares
 * with others does not answer. Nobody is asked for that: it needs no key.
 */
export function readyzRoute({ engine }: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/readyz",
    handle() {
      const status = engine.isStopping
        ? "stopping"
        : engine.peers?.isReachable() === false
          ? "no database"
          : "ok";
      return status === "ok" ? jsonValue({ status }) : Response.json({ status }, { status: 503 });
    },
  };
}
