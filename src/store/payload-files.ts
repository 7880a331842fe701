import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, ForebayError, storageFull } from "../domain/errors.ts";
import { reservedFiles } from "./reserved-files.ts";
import { syncDirectory } from "./sync-directory.ts";

/**
 * Where payloads lie that are too large for the database. Names are chosen by the caller and never used
 * twice.
 */
export interface PayloadFiles {
  /** Resolves when the bytes, and their name, would survive a power cut. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /**
   * Throws JOB_NOT_FOUND when the file is gone: the retention of its job has ended since the row was read.
   */
  read(name: string): Promise<Uint8Array>;
  /** A name that is not there is no error. */
  remove(name: string): Promise<void>;
  list(): Promise<string[]>;
  /** To be called last. */
  close(): void;
}

/** Payloads as files of one directory, readable by the server's user alone. */
export async function payloadDirectory(path: string): Promise<PayloadFiles> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncDirectory(dirname(path));
  const files = reservedFiles();
  return {
    async write(name, bytes) {
      try {
        await files.create(join(path, name), bytes);
        await files.syncDirectory(path);
      } catch (error) {
        await rm(join(path, name), { force: true });
        throw errorCode(error) === "ENOSPC" ? storageFull() : error;
      }
    },

    async read(name) {
      try {
        return await files.read(join(path, name));
      } catch (error) {
        throw errorCode(error) === "ENOENT" ? expired() : error;
      }
    },

    async remove(name) {
      await rm(join(path, name), { force: true });
    },

    list() {
      return readdir(path);
    },

    close: () => files.close(),
  };
}

/** Payloads of a store that lives in memory. */
export function payloadMemory(): PayloadFiles {
  const files = new Map<string, Uint8Array>();
  return {
    async write(name, bytes) {
      files.set(name, bytes);
    },
    async read(name) {
      const bytes = files.get(name);
      if (bytes === undefined) throw expired();
      return bytes;
    },
    async remove(name) {
      files.delete(name);
    },
    async list() {
      return [...files.keys()];
    },
    close() {},
  };
}

function expired(): ForebayError {
  return new ForebayError("JOB_NOT_FOUND", "The result of the job has just expired.");
}
