import { dateText } from "../answers/members.ts";
import { type HealthyAnswer, presentDisk, type ReadyAnswer } from "../answers/server.ts";
import type { HttpContext } from "../context.ts";
import { jsonValue } from "../reply.ts";
import type { Route } from "../route.ts";

/** The process answers, with its time: that of deadlines and of all that it tells. */
export function healthzRoute({ engine: { clock } }: HttpContext): Route {
  return {
    methods: ["GET"],
    path: "/healthz",
    handle: () => jsonValue({ status: "ok", time: dateText(clock.now()) } satisfies HealthyAnswer),
  };
}

/**
 * The server takes requests: 503 from the moment it is told to stop, and while the database that it shares
 * with others does not answer. A full disk is told, and is no reason for 503: reads go on, and no other
 * server could take what needs room, which gets STORAGE_FULL. It needs no key.
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
      const disk = engine.meters.disk.space();
      return jsonValue(
        { status, disk: disk && presentDisk(disk) } satisfies ReadyAnswer,
        status === "ok" ? 200 : 503,
      );
    },
  };
}
