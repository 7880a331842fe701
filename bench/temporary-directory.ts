import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";

/** A new directory, which goes with the benchmark at the latest. */
export function temporaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  atExit(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
