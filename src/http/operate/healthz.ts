import { z } from "zod";
import { type DiskSpace, diskState } from "../../domain/disk-space.ts";
import { operation, type SuccessAnswer } from "../operation.ts";
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
    200: {
      description: "It runs. The time is the one by which it counts deadlines.",
      json: {
        schema: z.strictObject({ status: z.literal("ok"), time: z.iso.datetime() }),
        example: { status: "ok", time: "2026-11-22T09:30:00.123Z" },
      },
    },
  },
  handle: ({ engine: { clock } }) => jsonValue({ status: "ok", time: new Date(clock.now()).toISOString() }),
});

const DISK = z.strictObject({
  state: z.enum(["ok", "low", "full"]),
  freeBytes: z.int().min(0),
  totalBytes: z.int().min(0),
});

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
    200: serving("It does.", "ok"),
    503: serving(
      "It is starting, it was told to stop, or its database does not answer.",
      "starting",
      "stopping",
      "no database",
    ),
  },
  handle({ engine }) {
    const status = engine.isStopping
      ? "stopping"
      : engine.peers?.isReachable() === false
        ? "no database"
        : "ok";
    const answer = { status, ...diskMember(engine.meters.disk.space()) };
    return jsonValue(answer, status === "ok" ? 200 : 503);
  },
});

function serving(description: string, ...states: [string, ...string[]]) {
  const disk = { state: "ok", freeBytes: 71_940_702_208, totalBytes: 105_089_261_568 } as const;
  return {
    description: `${description} \`disk\` is the file system with the data directory of this server.`,
    json: {
      schema: z.strictObject({ status: z.enum(states), disk: DISK.optional() }),
      example: { status: states[0], ...(states[0] === "ok" ? { disk } : {}) },
    },
  } satisfies SuccessAnswer;
}

function diskMember(disk: DiskSpace | undefined) {
  if (disk === undefined) return {};
  return { disk: { state: diskState(disk), freeBytes: disk.free, totalBytes: disk.total } };
}
