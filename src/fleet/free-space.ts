import { statfs } from "node:fs/promises";
import type { DiskSpace } from "../domain/disk-space.ts";
import { errorCode } from "../domain/errors.ts";

/** The space of the file system of a directory. Undefined if the directory is gone, or nobody can say. */
export async function freeSpace(directory: string): Promise<DiskSpace | undefined> {
  try {
    const { bavail, blocks, bsize } = await statfs(directory);
    return blocks === 0 ? undefined : { free: bavail * bsize, total: blocks * bsize };
  } catch (error) {
    if (["ENOENT", "EACCES", "EIO", "ENOSYS"].includes(errorCode(error))) return undefined;
    throw error;
  }
}

const MB = 1_048_576;

/** MiB that are free on the disk of this directory; undefined if nobody can say. */
export async function freeMb(directory: string): Promise<number | undefined> {
  const space = await freeSpace(directory);
  return space && Math.floor(space.free / MB);
}
