import { statSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { isReservedName } from "../../domain/endpoint-name.ts";
import { ownProgram } from "../../own-program.ts";
import { CommandFault } from "../command-fault.ts";
import { findPython } from "./find-python.ts";

/** A handler file, and how it is run. */
export interface HandlerFile {
  /** Absolute. */
  readonly path: string;
  /** As the user named it. */
  readonly name: string;
  readonly language: "typescript" | "python";
  /** Id of its endpoint: its name without the extension, made legal. */
  readonly endpoint: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/** What Bun runs. */
export const SCRIPTS = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]);

/** Throws CommandFault when there is no such file, or nothing here that runs it. */
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
