import { z } from "zod";

/** The number of the format. A change that an older Forebay cannot read raises it. */
export const BACKUP_FORMAT = 1;

/** The names of the files in a backup. The manifest comes last: without it the backup is not complete. */
export const FILES = {
  about: "README.txt",
  database: "forebay.db",
  payloads: "payloads/",
  /** Why a server could not finish the backup, as one sentence. */
  failure: "failed.txt",
  manifest: "manifest.json",
} as const;

/** The content of the first file of a backup. */
export const ABOUT = `This is a backup of a Forebay data directory. Restore it with:

  forebay restore <this file> --data <empty directory>

THE KEY FILE IS NOT IN THIS BACKUP. Keep a copy of it (<data>.key, or FOREBAY_SECRET_KEY)
in another place: without it nobody can read the secrets in the backup.
`;

export const KEY_NOTE =
  "The key file is not in this backup. Keep a copy of it in another place: without it nobody can read the " +
  "secrets in the backup.";

export const MANIFEST = z.object({
  format: z.literal("forebay-backup"),
  formatVersion: z.number().int(),
  /** The version of Forebay that wrote the backup, and of the schema of its database. */
  version: z.string(),
  schema: z.number().int(),
  /** The backup has every job that was acknowledged before this. */
  instant: z.iso.datetime(),
  /** The server whose data it is, and the name of its deployment. */
  data: z.object({ server: z.string().nullable(), deployment: z.string().nullable() }),
  /** SHA-256 of the keys that open the secrets, the newest first. */
  secretKeys: z.array(z.string()),
  note: z.string(),
  /** The number of rows of each kind. */
  counts: z.record(z.string(), z.number()),
  /** Payloads that were already damaged or missing in the data. */
  damaged: z.array(z.string()),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
});

export type Manifest = z.infer<typeof MANIFEST>;

/** What the writer of a backup must know besides the data. */
export interface BackupFacts {
  readonly version: string;
  /** Milliseconds since 1970; before the backup begins. */
  readonly instant: number;
  readonly secretKeys: readonly string[];
}

/** A backup that a client asks for. */
export interface BackupOrder {
  readonly facts: BackupFacts;
  /** Resolves after a few seconds: at the latest then, some bytes must be sent. */
  readonly pause: () => Promise<void>;
  /** Ends the backup. */
  readonly signal: AbortSignal;
}
