import { closeSync, fsync, openSync, readFile, writeFile } from "node:fs";
import { promisify } from "node:util";
import { descriptorsUsedUp, isOutOfDescriptors } from "../domain/errors.ts";

/** Reads and writes files, also when connections have used up the file descriptors of the process. */
export interface ReservedFiles {
  /** Throws OVERLOADED if no descriptor is left all the same. */
  read(path: string): Promise<Uint8Array>;
  /** Creates the file of these parts. Resolves when it would survive a power cut. Throws OVERLOADED. */
  create(path: string, parts: readonly Uint8Array[]): Promise<void>;
  /** Makes the names in the directory durable: a synced file can still lose its name. Throws OVERLOADED. */
  syncDirectory(path: string): Promise<void>;
  /** Gives the descriptors back. */
  close(): void;
}

/** Files open at the same time; further ones wait. */
const AT_ONCE = 16;

const read = promisify(readFile);
const write = promisify(writeFile);
const sync = promisify(fsync);

/**
 * Holds as many descriptors as it opens files at the same time. It closes one of them and opens the file in
 * the same moment, so that no connection comes between.
 */
export function reservedFiles(): ReservedFiles {
  const spare: number[] = [];
  const waiting: (() => void)[] = [];
  /** Those that read or write, or are just about to. */
  let active = 0;
  let open = 0;
  let isClosed = false;

  /** Another thread may have been quicker: what is missing is made good when the next file is closed. */
  function reserve(): void {
    if (isClosed) return;
    while (spare.length + open < AT_ONCE) {
      const descriptor = unlessNoneLeft(() => openSync("/dev/null", "r"));
      if (descriptor === undefined) return;
      spare.push(descriptor);
    }
  }

  async function withFile<Result>(
    path: string,
    flags: string,
    use: (descriptor: number) => Promise<Result>,
  ): Promise<Result> {
    if (active === AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else active++;
    try {
      return await withDescriptor(path, flags, use);
    } finally {
      const next = waiting.shift();
      if (next === undefined) active--;
      else next();
    }
  }

  async function withDescriptor<Result>(
    path: string,
    flags: string,
    use: (descriptor: number) => Promise<Result>,
  ): Promise<Result> {
    const reserved = spare.pop();
    if (reserved !== undefined) closeSync(reserved);
    let descriptor: number | undefined;
    try {
      descriptor = unlessNoneLeft(() => openSync(path, flags, 0o600));
      if (descriptor === undefined) throw descriptorsUsedUp();
      open++;
      return await use(descriptor);
    } finally {
      if (descriptor !== undefined) {
        closeSync(descriptor);
        open--;
      }
      reserve();
    }
  }

  reserve();
  return {
    read: (path) => withFile(path, "r", (descriptor) => read(descriptor)),

    create: (path, parts) =>
      withFile(path, "wx", async (descriptor) => {
        for (const part of parts) await write(descriptor, part);
        await sync(descriptor);
      }),

    syncDirectory: (path) => withFile(path, "r", sync),

    close() {
      isClosed = true;
      for (const descriptor of spare.splice(0)) closeSync(descriptor);
    },
  };
}

/** Undefined if the process, or the system, may open no more files. */
function unlessNoneLeft(open: () => number): number | undefined {
  try {
    return open();
  } catch (error) {
    if (isOutOfDescriptors(error)) return undefined;
    throw error;
  }
}
