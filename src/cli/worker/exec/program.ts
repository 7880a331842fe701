import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { CommandFault } from "../../command-fault.ts";
import { say } from "../say.ts";

/**
 * The program and its arguments, for a working directory of their own: paths with ./ or ../ start in the
 * directory of the worker, and a bare name is found on PATH. Throws CommandFault if there is no such program.
 */
export function programOf([name = "", ...args]: readonly string[]): [program: string, ...args: string[]] {
  if (name === "") throw new CommandFault("name the program that runs the jobs: --exec '<command>'.");
  for (const arg of args) if (looksLost(arg)) say(lostSentence(arg));
  return [name.includes("/") ? executableAt(name) : executableOnPath(name), ...args.map(fromHere)];
}

function executableAt(name: string): string {
  const path = resolve(name);
  if (!existsSync(path))
    throw new CommandFault(`the program ${path} does not exist. Check the path after --exec.`);
  if (isExecutable(path)) return path;
  throw new CommandFault(`${path} cannot be executed. Run chmod +x on it, or name its interpreter.`);
}

function executableOnPath(name: string): string {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, name));
  const found = places.find(isExecutable);
  if (found !== undefined) return resolve(found);
  const hint = existsSync(name) ? `To run the one here, give ./${name}.` : "Install it, or give its path.";
  throw new CommandFault(`the program ${name} is not on PATH. ${hint}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // the system says no in many ways
  }
}

function fromHere(arg: string): string {
  return /^\.\.?\//.test(arg) ? resolve(arg) : arg;
}

/** Whether an argument names a file here that the program will not find under this name. */
function looksLost(arg: string): boolean {
  return /^[^-/.][^/]*\.\w+$|^[^-/.].*\//.test(arg) && existsSync(arg);
}

function lostSentence(arg: string): string {
  return `each job has an empty directory of its own; if ${arg} is the file here, write ./${arg}`;
}
