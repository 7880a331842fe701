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

/** How many turns of the event loop a file waits for a descriptor. */
const TURNS = 5_000;

const read = promisify(readFile);
const write = promisify(writeFile);
const sync = promisify(fsync);
const nextTurn = promisify(setImmediate);

/**
 * Holds as many descriptors as it opens files at the same time. To open a file it closes one of them in the
 * same moment, so no connection can take the descriptor.
 */
export function reservedFiles(): ReservedFiles {
  const descriptors = new Descriptors();
  return {
    read: (path) => descriptors.withFile(path, "r", (descriptor) => read(descriptor)),

    create: (path, parts) =>
      descriptors.withFile(path, "wx", async (descriptor) => {
        for (const part of parts) await write(descriptor, part);
        await sync(descriptor);
      }),

    syncDirectory: (path) => descriptors.withFile(path, "r", sync),
    close: () => descriptors.close(),
  };
}

class Descriptors {
  readonly #spare: number[] = [];
  readonly #waiting: (() => void)[] = [];
  /** Calls that have a file, or are about to open one. */
  #active = 0;
  #open = 0;
  #isClosed = false;

  constructor() {
    this.#reserve();
  }

  async withFile<Result>(
    path: string,
    flags: string,
    use: (descriptor: number) => Promise<Result>,
  ): Promise<Result> {
    if (this.#active === AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#active++;
    try {
      return await this.#withDescriptor(path, flags, use);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#active--;
      else next();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const descriptor of this.#spare.splice(0)) closeSync(descriptor);
  }

  async #withDescriptor<Result>(
    path: string,
    flags: string,
    use: (descriptor: number) => Promise<Result>,
  ): Promise<Result> {
    let descriptor: number | undefined;
    try {
      descriptor = await this.#openFile(path, flags);
      return await use(descriptor);
    } finally {
      if (descriptor !== undefined) {
        closeSync(descriptor);
        this.#open--;
      }
      this.#reserve();
    }
  }

  /**
   * Another thread can take the descriptor that is given back. Then it tries again with the next one, and
   * later: threads hold descriptors for a moment only. Throws OVERLOADED.
   */
  async #openFile(path: string, flags: string): Promise<number> {
    for (let turn = 0; turn < TURNS;) {
      const reserved = this.#spare.pop();
      if (reserved !== undefined) closeSync(reserved);
      const descriptor = unlessNoneLeft(() => openSync(path, flags, 0o600));
      if (descriptor !== undefined) {
        this.#open++;
        return descriptor;
      }
      if (this.#spare.length > 0) continue;
      turn++;
      await nextTurn();
    }
    throw descriptorsUsedUp();
  }

  /** If another thread took a descriptor, the end of the next file makes up for it. */
  #reserve(): void {
    if (this.#isClosed) return;
    while (this.#spare.length + this.#open < AT_ONCE) {
      const descriptor = unlessNoneLeft(() => openSync("/dev/null", "r"));
      if (descriptor === undefined) return;
      this.#spare.push(descriptor);
    }
  }
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
