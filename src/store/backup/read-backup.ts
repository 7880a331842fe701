import { createHash } from "node:crypto";
import { OperatorFault } from "../../domain/operator-fault.ts";
import { BACKUP_FORMAT, FILES, MANIFEST, type Manifest } from "./manifest.ts";
import { readTar, type TarFile, TarDamaged } from "./tar.ts";

/** Gets each file of the backup, in order, and must read its bytes. */
export type Keep = (path: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>;

type FileEntry = Manifest["files"][number];

/** The server chooses the names of payload files. No other name comes from a backup. */
const PAYLOAD = /^payloads\/[A-Za-z0-9-]{1,80}$/;

/** The largest size of a manifest, bytes. */
const TEXT_LIMIT = 1_073_741_824;

/**
 * Reads a whole backup, and compares each file with the manifest, which comes last. Throws OperatorFault if
 * it is damaged, incomplete, from a newer Forebay, or no backup.
 */
export async function readBackup(source: AsyncIterable<Uint8Array>, keep: Keep): Promise<Manifest> {
  try {
    return await readWhole(source, keep);
  } catch (error) {
    if (!(error instanceof TarDamaged)) throw error;
    throw notWhole(error.message);
  }
}

async function readWhole(source: AsyncIterable<Uint8Array>, keep: Keep): Promise<Manifest> {
  const found: FileEntry[] = [];
  let manifest: Manifest | undefined;
  for await (const file of readTar(source)) {
    if (manifest !== undefined) throw notWhole("a file follows its manifest");
    if (file.name === FILES.manifest) manifest = parseManifest(await textOf(file));
    else if (file.name === FILES.failure) throw new OperatorFault(await textOf(file));
    else if (file.name === FILES.database || PAYLOAD.test(file.name)) found.push(await kept(file, keep));
    else if (file.name !== FILES.about) throw noBackup(`it has a file ${JSON.stringify(file.name)}`);
  }
  if (manifest === undefined) throw notWhole("it has no manifest");
  compare(manifest, found);
  return manifest;
}

async function kept(file: TarFile, keep: Keep): Promise<FileEntry> {
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of file.bytes) {
      hash.update(piece);
      yield piece;
    }
  }
  await keep(file.name, hashed());
  return { path: file.name, size: file.size, sha256: hash.digest("hex") };
}

function compare({ files }: Manifest, found: readonly FileEntry[]): void {
  const left = new Map(found.map((entry) => [entry.path, entry]));
  for (const { path, size, sha256 } of files) {
    const entry = left.get(path);
    if (entry === undefined) throw notWhole(`${path} is missing`);
    if (entry.size !== size || entry.sha256 !== sha256) throw notWhole(`the checksum of ${path} differs`);
    left.delete(path);
  }
  const [surplus] = left.keys();
  if (surplus !== undefined) throw notWhole(`${surplus} is not in its manifest`);
  if (!files.some(({ path }) => path === FILES.database)) throw notWhole("it has no database");
}

function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (isNewer(value)) {
    throw new OperatorFault(
      `This backup was made by Forebay ${value.version}, in a newer format. Restore it with that version.`,
    );
  }
  const parsed = MANIFEST.safeParse(value);
  if (parsed.success) return parsed.data;
  throw notWhole(`${FILES.manifest} is damaged`);
}

function isNewer(value: unknown): value is { formatVersion: number; version: string } {
  if (typeof value !== "object" || value === null) return false;
  if (!("formatVersion" in value) || !("version" in value)) return false;
  return typeof value.formatVersion === "number" && value.formatVersion > BACKUP_FORMAT;
}

async function textOf({ size, bytes }: TarFile): Promise<string> {
  if (size > TEXT_LIMIT) throw notWhole("its manifest is too large");
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString();
}

function notWhole(how: string): OperatorFault {
  return new OperatorFault(`The backup is damaged or incomplete: ${how}. Use another backup.`);
}

function noBackup(how: string): OperatorFault {
  return new OperatorFault(`This is not a file of forebay backup: ${how}.`);
}
