import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";

/** The UUID of the card with this index. */
export function uuidOf(index: number): string {
  return `GPU-5c89852c-d268-c3f3-1b07-${String(index).padStart(12, "0")}`;
}

/** A card as the driver lists it. */
export function cardRow(index: number, memory = "46068"): string {
  return `${index}, ${uuidOf(index)}, NVIDIA L40S, ${memory}, [N/A]`;
}

/**
 * Puts a program in the place of `nvidia-smi` that prints these rows. Servers that this process starts find
 * it, until it is disposed of.
 */
export async function printedGpus(rows: readonly string[]): Promise<AsyncDisposable> {
  const directory = await temporaryDirectory();
  const text = rows.map((row) => `echo '${row}'\n`).join("");
  writeFileSync(join(directory.path, "nvidia-smi"), `#!/bin/sh\n${text}`, { mode: 0o755 });
  const before = process.env["PATH"];
  process.env["PATH"] = `${directory.path}${delimiter}${before ?? ""}`;
  return {
    async [Symbol.asyncDispose]() {
      process.env["PATH"] = before;
      await directory[Symbol.asyncDispose]();
    },
  };
}
