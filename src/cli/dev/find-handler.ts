import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { isReservedName } from "../../domain/endpoint-name.ts";
import { ownProgram } from "../../host/own-program.ts";
import { CommandFault } from "../command-fault.ts";
import { NO_HANDLER } from "../own-programs.ts";
import { findPython } from "./find-python.ts";

/** A handler file, and how it is run. */
export interface HandlerFile {
  /** Absolute. */
  readonly path: string;
  /** As the user wrote it. */
  readonly name: string;
  readonly language: "typescript" | "python";
  /** Id of its endpoint: its name without the extension, with allowed characters only. */
  readonly endpoint: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/** What Bun runs. */
export const SCRIPTS = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]);

/** Throws CommandFault if there is no such file, or no program that runs it. */
export function findHandler(name: string): HandlerFile {
  const path = resolve(name);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CommandFault(`there is no file ${name}. Name the file of your handler.`);
  }
  const file = { path, name, endpoint: endpointOf(path) };
  const extension = extname(path);
  if (extension === ".py") {
    return { ...file, language: "python", command: [findPython(dirname(path)), "-u", path] };
  }
  if (SCRIPTS.has(extension)) {
    return { ...file, language: "typescript", command: ownProgram("worker:handler", path) };
  }
  throw new CommandFault(`${name} is not a handler file: a handler is a .ts, .js, .mjs or .py file.`);
}

function endpointOf(path: string): string {
  const name = basename(path, extname(path)).replaceAll(/[^A-Za-z0-9_-]+/g, "-");
  return isReservedName(name) ? `${name}-handler` : name.slice(0, 128) || "handler";
}

/** Files that mark the top of a project. */
const MARKS = ["package.json", "pyproject.toml", "requirements.txt", ".git"];

/** The project of a file: the nearest directory above it that has a mark, otherwise its own directory. */
export function projectDirectory(file: string): string {
  const own = dirname(file);
  for (let directory = own; ; directory = dirname(directory)) {
    if (MARKS.some((mark) => existsSync(join(directory, mark)))) return directory;
    if (directory === dirname(directory)) return own;
  }
}

/** Why the worker of a handler does not run, and what to do. */
export function brokenSentence({ name, language }: HandlerFile, how: string): string {
  if (language === "typescript" && how === `exit code ${NO_HANDLER}`) {
    return `${name} has no handler. Export one, as default or as handler, or call start of @forebay/worker.`;
  }
  if (how === "exit code 0") {
    const advice = 'End it with runpod.serverless.start({"handler": …}).';
    return `${name} has no handler: it exited without starting a worker. ${advice}`;
  }
  return `${name} could not be started (${how}). Fix the error above.`;
}
