import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as after } from "node:timers/promises";
import { errorCode } from "../../domain/errors.ts";

/** Between two syncs, ms. */
const PAUSE = 50;

/**
 * Syncs a new file in small pieces while a thread fills it, until the answer is called. Otherwise all of it
 * would be written when it is complete, and each commit of the server would wait for that.
 */
export function syncSteadily(path: string): () => void {
  const stop = new AbortController();
  void syncUntil(path, stop.signal).catch(() => {
    // The thread that fills the file syncs it at the end, gets the same error, and reports it.
  });
  return () => stop.abort();
}

async function syncUntil(path: string, stop: AbortSignal): Promise<void> {
  const file = await opened(path, stop);
  if (file === undefined) return;
  try {
    while (!stop.aborted) {
      await file.datasync();
      await after(PAUSE);
    }
  } finally {
    await file.close();
  }
}

/** Waits until the file exists. */
async function opened(path: string, stop: AbortSignal): Promise<FileHandle | undefined> {
  while (!stop.aborted) {
    try {
      return await open(path, "r");
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
    }
    await after(PAUSE);
  }
  return undefined;
}
