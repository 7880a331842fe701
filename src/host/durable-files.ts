import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file that only its owner can read. The file gets its name when all of it is on the disk, so a kill
 * before that leaves the earlier file as it was.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  const unfinished = `${path}.new`;
  await mkdir(directory, { recursive: true });
  await writeAndSync(unfinished, text);
  await rename(unfinished, path);
  await syncDirectory(directory);
}

/** Makes the names in a directory durable: a file that was synced can still lose its name (fsync(2)). */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
