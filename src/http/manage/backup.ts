import { z } from "zod";
import { version } from "../../../package.json" with { type: "json" };
import { backUp } from "../../engine/back-up.ts";
import { accountRoute } from "../account-route.ts";
import type { HttpContext } from "../context.ts";
import { goingReply } from "../going-reply.ts";
import type { Route } from "../route.ts";
import { parseBody } from "./parse-body.ts";

export const BACKUP = z.strictObject({});

/** After this long without reading, s, the caller is disconnected: a backup puts off the end of its files. */
const SILENCE = 60;

/** Sends a backup of all data as a tar archive (docs/backup.md). */
export function backupRoute(context: HttpContext): Route {
  return accountRoute(context, {
    methods: ["POST"],
    path: "/v1/backup",
    async handle(call) {
      await parseBody(context, call, BACKUP);
      const archive = backUp(context.engine, version, call.request.signal);
      return goingReply(call, { "content-type": "application/x-tar" }, () => archive, SILENCE);
    },
  });
}
