import { z } from "zod";
import { version } from "../../../package.json" with { type: "json" };
import { backUp } from "../../engine/back-up.ts";
import { accountOperation } from "../account-operation.ts";
import { goingReply } from "../going-reply.ts";

/** A caller that reads nothing for this long is disconnected, s: a backup delays the deletion of files. */
const SILENCE = 60;

/** Sends a backup of all data as a tar archive (docs/backup.md). */
export const backUpData = accountOperation({
  id: "backUp",
  method: "POST",
  path: "/v1/backup",
  access: "admin",
  tag: "secrets",
  summary: "Back up all data of the server",
  description:
    "Sends a tar archive while the server goes on; `forebay restore` makes a data directory of it. Its " +
    "last file is `manifest.json`: without it the backup is not whole. It has no encryption key.",
  body: {
    schema: z.strictObject({}).meta({ id: "Backup", description: "Nothing is to be said." }),
    example: {},
    isRequired: false,
  },
  answers: { 200: { description: "The backup.", mediaType: "application/x-tar" } },
  errors: ["BACKUP_RUNNING", "NOT_IN_DIRECTORY", "STORAGE_FULL"],
  async handle({ engine }, call, { body }) {
    await body();
    const archive = backUp(engine, version, call.request.signal);
    return goingReply(call, { "content-type": "application/x-tar" }, () => archive, SILENCE);
  },
});
