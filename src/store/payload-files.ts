import { constants } from "node:fs";
import { access, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  errorCode,
  ForebayError,
  isTemporary,
  PayloadDamaged,
  storageFull,
  storageUnreadable,
} from "../domain/errors.ts";
import { checkedBytes, headOf } from "./digested.ts";
import { reservedFiles } from "./reserved-files.ts";
import { syncDirectory } from "../host/durable-files.ts";

/**
 * Stores payloads that are too large for the database. The caller chooses names, and never uses one twice.
 */
export interface PayloadFiles {
  /** Resolves when bytes and name would survive a power cut. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /**
   * Reads the `size` bytes of a file. Throws PAYLOAD_DAMAGED if they are missing or damaged, and
   * STORAGE_UNAVAILABLE if the system cannot read right now.
   */
  read(name: string, size: number): Promise<Uint8Array>;
  /** A missing name is no error. */
  remove(name: string): Promise<void>;
  list(): Promise<string[]>;
  /** Call it last. */
  close(): void;
}

/** Stores payloads as files of one directory. Only the server's user can read them. */
export async function payloadDirectory(path: string): Promise<PayloadFiles> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncDirectory(dirname(path));
  const files = reservedFiles();
  return {
    async write(name, bytes) {
      try {
        await files.create(join(path, name), [headOf(bytes), bytes]);
        await files.syncDirectory(path);
      } catch (error) {
        await rm(join(path, name), { force: true });
        throw errorCode(error) === "ENOSPC" ? storageFull() : error;
      }
    },

    read: (name, size) => readPayloadFile(path, name, size, files.read),

    async remove(name) {
      await rm(join(path, name), { force: true });
    },

    list() {
      return readdir(path);
    },

    close: () => files.close(),
  };
}

/** The bytes of a payload in the directory `path`. Throws as `PayloadFiles.read` does. */
export async function readPayloadFile(
  path: string,
  name: string,
  size: number,
  read: (file: string) => Promise<Uint8Array> = (file) => readFile(file),
): Promise<Uint8Array> {
  const file = join(path, name);
  let stored: Uint8Array;
  try {
    stored = await read(file);
  } catch (error) {
    if (error instanceof ForebayError) throw error;
    if (isTemporary(error) || !(await isReachable(path))) throw storageUnreadable(error);
    const isMissing = errorCode(error) === "ENOENT";
    throw new PayloadDamaged(isMissing ? `${file} is missing` : `${file} cannot be read (${String(error)})`);
  }
  return checkedBytes(stored, size, file);
}

/** Whether the directory is there. If it is not mounted, no payload is damaged. */
async function isReachable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
