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

/** The process answers, with its time: that of deadlines and of all that it tells. */
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
 * The server takes requests: 503 from the moment it is told to stop, and while the database that it shares
 * with others does not answer. A full disk is told, and is no reason for 503: reads go on, and no other
 * server could take what needs room, which gets STORAGE_FULL. It needs no key.
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
      description: `It is starting, it was told to stop, or its database does not answer. ${DISK}`,
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
