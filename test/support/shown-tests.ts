import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Tests that show something: file below `test`, and name as it is written. */
export type ShownTests = readonly (readonly [file: string, name: string])[];

/** The tests as a cell of a table. */
export function cellOf(shown: ShownTests): string {
  return shown.map(([file, name]) => `\`${name.replaceAll("`", "'")}\` in \`test/${file}\``).join("<br>");
}

/** A sentence for each that is not there. */
export function faultsOf(shown: ShownTests): string[] {
  return shown
    .filter(([file, name]) => !isThere(file, name))
    .map(([file, name]) => `${file} has no test "${name}"`);
}

function isThere(file: string, name: string): boolean {
  const path = join(import.meta.dir, "..", file);
  return (
    existsSync(path) && ['"', "`"].some((quote) => readFileSync(path, "utf8").includes(quote + name + quote))
  );
}
