import { fileURLToPath } from "node:url";

/** What Forebay runs as a process of its own: itself, with a word that is not a command. */
export type OwnProgram = "worker:hello" | "worker:handler";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Inside the executable all code lies beside this file. */
const isExecutable = Bun.isStandaloneExecutable;

/** Directories of our own code, with a slash at the end. */
export const OWN_CODE: readonly string[] = isExecutable
  ? [pathOf("./")]
  : [pathOf("./"), pathOf("../sdk/src/")];

/**
 * Program and arguments that start it. The executable is the program itself. Everywhere else the runtime is,
 * and must not install what a handler imports.
 */
export function ownProgram(program: OwnProgram, ...words: readonly string[]): readonly string[] {
  const runs = isExecutable ? [process.execPath] : [process.execPath, "--no-install", pathOf("cli/main.ts")];
  return [...runs, program, ...words];
}
