import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** What lies at the top of a project. */
const MARKS = ["package.json", "pyproject.toml", "requirements.txt", ".git"];

/** The project of a file: its directory or the nearest one above that has a mark, or else its own. */
export function projectDirectory(file: string): string {
  const own = dirname(file);
  for (let directory = own; ; directory = dirname(directory)) {
    if (MARKS.some((mark) => existsSync(join(directory, mark)))) return directory;
    if (directory === dirname(directory)) return own;
  }
}
