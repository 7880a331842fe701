import { ROTATE_SECRETS } from "../../manage/rotate-secrets.ts";
import { BACKUP } from "../../manage/backup.ts";
import { ROTATED } from "../../answers/server.ts";
import type { Described } from "../description.ts";

/** Operations on the encryption of secrets at rest (docs/operate.md). */
export const SECRET_OPERATIONS = {
  "/v1/secrets/rotate": {
    POST: {
      id: "rotateSecrets",
      tag: "secrets",
      summary: "Encrypt all secrets at rest by the newest key",
      description:
        "A server that keeps its key itself makes a new one. Otherwise the new key is set first, with the " +
        "one before beside it. Answered when all is done.",
      body: {
        schema: ROTATE_SECRETS.meta({ id: "SecretRotation", description: "Nothing is to be said." }),
        example: {},
        isRequired: false,
      },
      answers: { 200: { description: "What was done.", json: ROTATED } },
      errors: ["KEY_NOT_REPLACEABLE", "STORAGE_FULL"],
    },
  },
  "/v1/backup": {
    POST: {
      id: "backUp",
      tag: "secrets",
      summary: "Back up all data of the server",
      description:
        "Sends a tar archive while the server goes on; `forebay restore` makes a data directory of it. Its " +
        "last file is `manifest.json`: without it the backup is not whole. It has no encryption key.",
      body: {
        schema: BACKUP.meta({ id: "Backup", description: "Nothing is to be said." }),
        example: {},
        isRequired: false,
      },
      answers: { 200: { description: "The backup.", mediaType: "application/x-tar" } },
      errors: ["BACKUP_RUNNING", "NOT_IN_DIRECTORY", "STORAGE_FULL"],
    },
  },
} as const satisfies Partial<Described>;
