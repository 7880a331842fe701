import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "./sync-directory.ts";

/**
 * Writes a file that its owner alone can read. It has its name only when all of it is on the disk: a kill
 * before that leaves what was there before.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  const unfinished = `${path}.new`;
  await mkdir(directory, { recursive: true });
  await writeAndSync(unfinished, text);
  await rename(unfinished, path);
  await syncDirectory(directory);
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
