import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CARD_NAME = "NVIDIA L40S";

/** The UUID of the card with this number. */
export function cardUuid(index: number): string {
  return `GPU-00000000-0000-0000-0000-${String(index).padStart(12, "0")}`;
}

/** What `nvidia-smi` prints of a card that works. */
export function cardRow(index: number): string {
  return `${index}, ${cardUuid(index)}, ${CARD_NAME}, 46068, [N/A]`;
}

/** A program in the place of `nvidia-smi`, for a server that is started with its variables. */
export class ScriptedDriver implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "forebay-driver-"));

  /** With so many cards that work. */
  constructor(cards: number) {
    this.prints(...Array.from({ length: cards }, (_, index) => cardRow(index)));
  }

  get env(): Readonly<Record<string, string>> {
    return { PATH: `${this.#directory}:${process.env["PATH"] ?? ""}` };
  }

  /** Its next run prints these lines. */
  prints(...lines: readonly string[]): void {
    this.runs(lines.map((line) => `echo '${line}'`).join("\n"));
  }

  /** Its next run is this script of the shell. */
  runs(script: string): void {
    const path = join(this.#directory, "nvidia-smi");
    writeFileSync(`${path}.new`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    // A program that is being written cannot be started.
    renameSync(`${path}.new`, path);
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true });
  }
}
