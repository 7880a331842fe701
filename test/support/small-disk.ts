import { expect } from "bun:test";
import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MB = 1_048_576;
const SIZE = 32 * MB;

/** A disk of 32 MB, which a test can fill; it goes at the end of the block that holds it with `using`. */
export class SmallDisk implements Disposable {
  readonly path: string;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), "forebay-disk-"));
    expect(mount(this.path)).toBe(0);
  }

  /** Why there can be none here; undefined when there can. */
  static readonly whyNot = reasonAgainst();

  /** Nothing more fits, but for the last `leaving` bytes. */
  fill(leaving = 0): void {
    const file = openSync(this.#ballast, "w");
    for (const size of [MB, 4_096]) {
      const piece = new Uint8Array(size);
      try {
        while (writeSync(file, piece) === size);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
    }
    ftruncateSync(file, Math.max(0, fstatSync(file).size - leaving));
    closeSync(file);
  }

  /** There is room again. */
  clear(): void {
    rmSync(this.#ballast);
  }

  [Symbol.dispose](): void {
    expect(spawnSync("umount", [this.path]).status).toBe(0);
    rmSync(this.path, { recursive: true });
  }

  get #ballast(): string {
    return join(this.path, "ballast");
  }
}

function mount(directory: string): number | null {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", directory]).status;
}

function reasonAgainst(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "forebay-disk-"));
  try {
    if (mount(directory) !== 0) return "only root can mount a small disk";
    spawnSync("umount", [directory]);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
