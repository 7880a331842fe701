import { statSync } from "node:fs";
import { join } from "node:path";
import { OperatorFault } from "../../domain/operator-fault.ts";
import type { BackupFacts } from "../backup/manifest.ts";
import { newScratch, removeScratch } from "./sqlite-backup.ts";
import { tracesOfData } from "./sqlite-lost.ts";
import { databaseIn, lockDirectory, refuseMoved } from "./sqlite-open.ts";
import { writeBackup } from "./sqlite-write-backup.ts";

const ADVICE =
  "Back it up while it runs: forebay backup <file> --server <address> --key <admin key>. Or stop it first.";

/**
 * Backs up a directory that no server uses, even if its server was killed. The directory stays as it is.
 * Throws OperatorFault.
 */
export async function* sqliteOfflineBackup(
  directory: string,
  facts: BackupFacts,
): AsyncGenerator<Uint8Array> {
  const path = databaseIn(directory);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new OperatorFault(
      `${directory} is not a data directory of Forebay: it has no file forebay.db. ` +
        "Name another one with --data.",
    );
  }
  using held = new DisposableStack();
  held.defer(lockDirectory(join(directory, "lock.db"), directory, ADVICE));
  refuseMoved(directory);
  const { refusal } = await tracesOfData(path, false);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  await removeScratch(directory);
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const hasLog = log !== undefined && log.size > 0;
  yield* writeBackup({ directory, scratch: newScratch(directory), hasLog }, facts);
}
