import { fileURLToPath } from "node:url";

/** The programs that Forebay starts as processes: itself, with a word that is not a command. */
export type OwnProgram = "worker:hello" | "worker:handler";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Whether this is the single executable. */
export const isExecutable = Bun.isStandaloneExecutable;

/** In the executable, stack frames name our sources by their path in the repository. */
const OWN_FRAME = /(?:\(|\bat |\basync )(?:sdk\/)?src\//;
const OWN_DIRECTORIES = [pathOf("../"), pathOf("../../sdk/src/")];

/** Whether a line of a stack trace is in our code. */
export function isOwnFrame(frame: string): boolean {
  if (isExecutable) return OWN_FRAME.test(frame);
  return OWN_DIRECTORIES.some((directory) => frame.includes(directory));
}

/**
 * The program and arguments that start it. The executable starts itself. Otherwise the runtime runs our
 * source, and must not install packages that a handler imports.
 */
export function ownProgram(program: OwnProgram, ...words: readonly string[]): readonly string[] {
  const source = [process.execPath, "--no-install", pathOf("../cli/main.ts")];
  const runs = isExecutable ? [process.execPath] : source;
  return [...runs, program, ...words];
}
