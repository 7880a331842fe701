import { open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode } from "../../domain/errors.ts";
import { CommandFault } from "../command-fault.ts";
import type { BackupSink } from "./save-backup.ts";

/**
 * How many bytes are written between two syncs, so that a server on the same disk waits for one piece at
 * most.
 */
const PIECE = 4 * 1_048_576;

/**
 * A file that gets its name only when the backup is complete and on the disk. Until then it is `<file>.part`.
 * Throws CommandFault.
 */
export async function fileSink(path: string): Promise<BackupSink> {
  if (await isDirectory(path)) {
    throw new CommandFault(`${path} is a directory. Name a file, for instance ${path}/forebay.tar.`);
  }
  const part = `${path}.part`;
  const file = await open(part, "w", 0o600);
  let unsynced = 0;
  return {
    async write(piece) {
      await file.writeFile(piece);
      unsynced += piece.length;
      if (unsynced < PIECE) return;
      unsynced = 0;
      await file.datasync();
    },
    async keep() {
      await file.sync();
      await file.close();
      await rename(part, path);
      const directory = await open(dirname(resolve(path)), "r");
      await directory.sync();
      await directory.close();
    },
    async discard() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return false;
  }
}
