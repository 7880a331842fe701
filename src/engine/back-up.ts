import { ForebayError } from "../domain/errors.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { FILES } from "../store/backup/manifest.ts";
import { textFile } from "../store/backup/tar.ts";
import { digestOf } from "./digest.ts";
import type { Log } from "../domain/log.ts";
import type { WithSecrets } from "./secret-box.ts";
import type { StoreAccess, WithLog } from "./verb-needs.ts";

/** At least this often some bytes are sent, ms. */
const SILENCE = 10_000;

/**
 * Backs up all data as pieces of a tar archive, while the server works. The backup has every job that was
 * acknowledged before now. If it fails later, its last file says why. Throws NOT_IN_DIRECTORY, BACKUP_RUNNING
 * and STORAGE_FULL.
 */
export function backUp(
  engine: StoreAccess & WithSecrets & WithLog,
  version: string,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const { store, clock, secrets } = engine;
  if (store.backup === undefined) throw notInDirectory(store.shared !== undefined);
  const instant = clock.now();
  const facts = { version, instant, secretKeys: secrets.keys.map(digestOf) };
  const pause = () => new Promise<void>((resolve) => clock.after(SILENCE, resolve));
  return withFailure(store.backup({ facts, pause, signal }), { instant, signal, log: engine.log });
}

async function* withFailure(
  pieces: AsyncIterable<Uint8Array>,
  { instant, signal, log }: { instant: number; signal: AbortSignal; log: Log },
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    if (!(error instanceof OperatorFault)) throw error;
    // The client is gone.
    if (signal.aborted) return;
    log.error("a backup could not be finished", { reason: error.message });
    yield textFile(FILES.failure, error.message, instant);
  }
}

function notInDirectory(isShared: boolean): ForebayError {
  const where = isShared
    ? "The data of this server is in PostgreSQL. Back it up with pg_dump or pg_basebackup: " +
      "docs/backup.md shows how."
    : "This server keeps its data in memory only, so there is nothing to back up. " +
      "Start it with --data <directory>.";
  return new ForebayError("NOT_IN_DIRECTORY", where);
}
