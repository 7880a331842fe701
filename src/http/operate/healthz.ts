import { ForebayError } from "../../domain/errors.ts";
import { dateText } from "../answers/members.ts";
import {
  HEALTHY,
  type HealthyAnswer,
  NOT_READY,
  presentDisk,
  READY,
  type ReadyAnswer,
} from "../answers/server.ts";
import { operation } from "../operation.ts";
import { jsonValue } from "../reply.ts";
import type { Route, Router } from "../router.ts";

/** The process runs. Its time is the one that counts for deadlines and in all answers. */
export const healthz = operation({
  id: "healthz",
  method: "GET",
  path: "/healthz",
  access: "anyone",
  tag: "server",
  summary: "Ask whether the process runs",
  answers: {
    200: { description: "It runs. The time is the one by which it counts deadlines.", json: HEALTHY },
  },
  handle: ({ engine: { clock } }) =>
    jsonValue({ status: "ok", time: dateText(clock.now()) } satisfies HealthyAnswer),
});

const DISK = "`disk` is the file system with the data directory of this server.";

/**
 * Whether the server takes requests: 503 while it starts, from the moment that it is asked to stop, and while
 * the database that it shares with others does not answer. A full disk shows here without a 503: reads still
 * work, and no other server could store more. Calls that need space get STORAGE_FULL. It needs no key.
 */
export const readyz = operation({
  id: "readyz",
  method: "GET",
  path: "/readyz",
  access: "anyone",
  tag: "server",
  summary: "Ask whether the server takes requests",
  answers: {
    200: { description: `It does. ${DISK}`, json: READY },
    503: {
      description: `It is starting or stopping, or its database does not answer. ${DISK}`,
      json: NOT_READY,
    },
  },
  handle({ engine }) {
    const status = engine.isStopping
      ? "stopping"
      : engine.peers?.isReachable() === false
        ? "no database"
        : "ok";
    const disk = engine.meters.disk.space();
    const answer: ReadyAnswer = { status, disk: disk && presentDisk(disk) };
    return jsonValue(answer, status === "ok" ? 200 : 503);
  },
});

const WHILE_STARTING: Route = {
  method: "GET",
  path: readyz.path,
  takesHead: true,
  handle: () => jsonValue({ status: "starting" } satisfies ReadyAnswer, 503),
};

/**
 * Answers while the server starts. The port is bound before the data is opened, so a port that is in use
 * changes no data.
 */
export const startingRouter: Router = (method, path) => {
  if (path === readyz.path && (method === "GET" || method === "HEAD")) {
    return { route: WHILE_STARTING, parameters: [] };
  }
  throw new ForebayError("STARTING", "The server is starting. Try again in a moment.");
};
