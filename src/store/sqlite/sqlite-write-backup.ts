import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, PayloadDamaged } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";
import {
  ABOUT,
  BACKUP_FORMAT,
  type BackupFacts,
  FILES,
  KEY_NOTE,
  type Manifest,
} from "../backup/manifest.ts";
import { endOfArchive, fileHeader, padding, textFile } from "../backup/tar.ts";
import { checkedBytes } from "../digested.ts";
import type { TallyRow } from "../tally.ts";
import { closeDatabase, copyDatabase, type Database, openToRead, prepare } from "./sqlite-driver.ts";
import { databaseIn } from "./sqlite-open.ts";
import { ownerIn } from "./sqlite-owner.ts";
import { schemaVersion } from "./sqlite-schema.ts";
import { countNewChunks } from "./sqlite-new-chunks.ts";
import { TALLY } from "./sqlite-kept-data.ts";

export interface BackupSource {
  readonly directory: string;
  /** A directory for the copy of the database. It is removed at the end. */
  readonly scratch: string;
  /** Whether the newest data is in the write-ahead log: a server uses the directory, or was killed. */
  readonly hasLog: boolean;
}

/** The bytes of one read of a file. */
const PIECE = 262_144;

/** The contents of the copy of the database. */
interface Copied {
  readonly path: string;
  readonly facts: Pick<Manifest, "schema" | "data" | "counts">;
  readonly payloads: readonly { readonly file: string; readonly size: number }[];
}

type FileEntry = Manifest["files"][number];

/**
 * Backs up a data directory as pieces of a tar archive. It copies the database in one snapshot and checks the
 * copy. Then it reads the payload files that the copy names, and checks their CRC-32. From the first piece to
 * the end, nobody may remove payload files. The manifest is last, so an incomplete archive has none.
 * `onCopied` is called when the database is copied. Throws OperatorFault.
 */
export async function* writeBackup(
  { directory, scratch, hasLog }: BackupSource,
  facts: BackupFacts,
  onCopied: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const files: FileEntry[] = [];
  const damaged: string[] = [];
  yield textFile(FILES.about, ABOUT, facts.instant);
  try {
    await mkdir(scratch, { mode: 0o700 });
    const copy = copied(databaseIn(directory), join(scratch, FILES.database), hasLog);
    onCopied();
    const { size } = await stat(copy.path);
    yield fileHeader(FILES.database, size, facts.instant);
    const hash = createHash("sha256");
    for await (const piece of createReadStream(copy.path, { highWaterMark: PIECE })) {
      hash.update(piece);
      yield piece;
    }
    yield padding(size);
    files.push({ path: FILES.database, size, sha256: hash.digest("hex") });
    for (const { file, size: expected } of copy.payloads) {
      const bytes = await readPayload(join(directory, FILES.payloads, file), expected, damaged);
      if (bytes === undefined) continue;
      const path = `${FILES.payloads}${file}`;
      yield fileHeader(path, bytes.length, facts.instant);
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
      yield padding(bytes.length);
      files.push({ path, size: bytes.length, sha256: sha256(bytes) });
    }
    const manifest = manifestOf(facts, copy, files, damaged);
    yield textFile(FILES.manifest, `${JSON.stringify(manifest, undefined, 2)}\n`, facts.instant);
    yield endOfArchive();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function manifestOf(facts: BackupFacts, copy: Copied, files: FileEntry[], damaged: string[]): Manifest {
  return {
    format: "forebay-backup",
    formatVersion: BACKUP_FORMAT,
    version: facts.version,
    instant: new Date(facts.instant).toISOString(),
    ...copy.facts,
    secretKeys: [...facts.secretKeys],
    note: KEY_NOTE,
    damaged,
    files,
  };
}

/** Copies the database in one snapshot, and checks the copy. */
function copied(from: string, path: string, hasLog: boolean): Copied {
  copyDatabase(from, path, hasLog);
  const database = openToRead(path, false);
  try {
    refuseDamaged(database, from);
    const counts: Record<string, number> = {};
    for (const { kind, count } of prepare<TallyRow, []>(database, TALLY).iterate()) {
      counts[kind] = (counts[kind] ?? 0) + count;
    }
    const newChunks = countNewChunks(database);
    if (newChunks > 0) counts["chunks"] = (counts["chunks"] ?? 0) + newChunks;
    const { server, deployment } = ownerIn(database);
    const payloads = prepare<Copied["payloads"][number], []>(
      database,
      "SELECT file, size FROM payload WHERE file IS NOT NULL",
    ).all();
    const data = { server: server ?? null, deployment: deployment ?? null };
    return { path, facts: { schema: schemaVersion(database), data, counts }, payloads };
  } finally {
    closeDatabase(database);
  }
}

/** Throws OperatorFault if pages of the database are damaged. */
export function refuseDamaged(database: Database, name: string): void {
  const check = prepare<{ integrity_check: string }, []>(database, "PRAGMA integrity_check(1)");
  const found = check.get()?.integrity_check;
  if (found === "ok") return;
  throw new OperatorFault(
    `The database ${name} is damaged (SQLite: ${found}). Restore an earlier backup, and check the disk.`,
  );
}

/** The file as it is; undefined if it is missing. Problems are added to `damaged`. */
async function readPayload(path: string, size: number, damaged: string[]): Promise<Uint8Array | undefined> {
  let stored: Uint8Array;
  try {
    stored = await readFile(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    damaged.push(`${path} is missing`);
    return undefined;
  }
  try {
    checkedBytes(stored, size, path);
  } catch (error) {
    if (!(error instanceof PayloadDamaged)) throw error;
    damaged.push(error.where);
  }
  return stored;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
