import { type DiskSpace, diskState } from "../../domain/disk-space.ts";
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
      const answer = { status, ...diskMember(engine.meters.disk.space()) };
      return jsonValue(answer, status === "ok" ? 200 : 503);
    },
  };
}

function diskMember(disk: DiskSpace | undefined) {
  if (disk === undefined) return {};
  return { disk: { state: diskState(disk), freeBytes: disk.free, totalBytes: disk.total } };
}
