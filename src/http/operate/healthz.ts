import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** The process answers. */
export function healthzRoute(): Route {
  return { methods: ["GET", "HEAD"], path: "/healthz", handle: () => jsonValue({ status: "ok" }) };
}

/** The server takes requests: 503 from the moment it is told to stop. */
export function readyzRoute({ engine }: HttpContext): Route {
  return {
    methods: ["GET", "HEAD"],
    path: "/readyz",
    handle: () =>
      engine.isStopping
        ? Response.json({ status: "stopping" }, { status: 503 })
        : jsonValue({ status: "ok" }),
  };
}
