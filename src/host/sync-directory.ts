import { open } from "node:fs/promises";

/** Makes the names in a directory durable: a file that was synced can still lose its name (fsync(2)). */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
