import { rm } from "node:fs/promises";
import type { Log } from "../../domain/log.ts";

/**
 * Removes what workers have left. What they made unremovable stays, and the next start of the server tries
 * again.
 */
export async function removeDirectory(path: string, log: Log): Promise<void> {
  try {
    // What was just killed can still be writing.
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    log.warn("what workers have left could not be removed", { path, error: String(error) });
  }
}
