import { fileURLToPath } from "node:url";

/** What Forebay runs as a process of its own: itself, with a word that is not a command. */
export type OwnProgram = "worker:hello" | "worker:handler";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Whether this is the single executable. */
export const isExecutable = Bun.isStandaloneExecutable;

/** In the executable, frames of a stack name our sources by their path in the repository. */
const OWN_FRAME = /(?:\(|\bat |\basync )(?:sdk\/)?src\//;
const OWN_DIRECTORIES = [pathOf("../"), pathOf("../../sdk/src/")];

/** Whether a line of a stack is about our code. */
export function isOwnFrame(frame: string): boolean {
  if (isExecutable) return OWN_FRAME.test(frame);
  return OWN_DIRECTORIES.some((directory) => frame.includes(directory));
}

/**
 * Program and arguments that start it. The executable is the program itself. Everywhere else the runtime is,
 * and must not install what a handler imports.
 */
export function ownProgram(program: OwnProgram, ...words: readonly string[]): readonly string[] {
  const runs = isExecutable ? [process.execPath] : [process.execPath, "--no-install", pathOf("../cli/main.ts")];
  return [...runs, program, ...words];
}
