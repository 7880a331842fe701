import { OperatorFault } from "../../domain/operator-fault.ts";
import { type Manifest, readBackup } from "../../data/offline-data.ts";

/** The destination of a backup. */
export interface BackupSink {
  write(piece: Uint8Array): Promise<void>;
  /** Keeps the backup: it is complete. */
  keep(): Promise<void>;
  /** Deletes what was written: the backup is not complete. */
  discard(): Promise<void>;
}

/**
 * Writes a backup as it arrives. Checks each file against its checksum, and that the backup is complete.
 * Throws OperatorFault; then nothing is kept.
 */
export async function saveBackup(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  sink: BackupSink,
  onBytes: (written: number) => void,
): Promise<Manifest> {
  let written = 0;
  async function* passed(): AsyncGenerator<Uint8Array> {
    for await (const piece of heard(await open())) {
      await sink.write(piece);
      written += piece.length;
      onBytes(written);
      yield piece;
    }
  }
  const pieces = passed();
  try {
    const manifest = await readBackup(pieces, async (_path, bytes) => {
      for await (const _ of bytes);
    });
    // The padding after the end of the archive is written too.
    for await (const _ of pieces);
    await sink.keep();
    return manifest;
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

/** The source, which reports a broken connection in a sentence. */
async function* heard(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    if (error instanceof OperatorFault || !isConnectionFault(error)) throw error;
    throw new OperatorFault(
      "The connection to the server broke off before the backup was whole, and nothing was kept. " +
        "Try again; the server's log may say why.",
      { cause: error },
    );
  }
}

const CONNECTION_FAULT = /^(ECONN|EPIPE|UND_ERR|HPE_)|^(ConnectionClosed|ConnectionRefused|Timeout)/;

/** `fetch` throws an error with a code in Bun, and a TypeError with a cause in Node. */
function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return error instanceof TypeError || CONNECTION_FAULT.test(code);
}

const MB = 1_048_576;

/** What people are shown of a backup: its time, what it contains, and what it does not. */
export function backupLines({ instant, version, counts, files, damaged, note }: Manifest): string[] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const jobs = Object.entries(counts)
    .filter(([kind]) => kind.startsWith("jobs "))
    .reduce((sum, [, count]) => sum + count, 0);
  const [first] = damaged;
  return [
    `  instant   ${instant}`,
    `  version   ${version}`,
    `  jobs      ${jobs}`,
    `  size      ${(bytes / MB).toFixed(1)} MB in ${files.length} files`,
    note,
    ...(first === undefined
      ? []
      : [
          `${damaged.length} payloads were damaged or missing before the backup (${first}). ` +
            "forebay doctor names their jobs.",
        ]),
  ];
}
