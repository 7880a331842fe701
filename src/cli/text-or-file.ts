import { readFile } from "node:fs/promises";
import { errorCode, withPath } from "../domain/errors.ts";
import { CommandFault } from "./command-fault.ts";

/** The text, or the content of the file that `@file` names. Throws CommandFault. */
export async function textOrFile(given: string): Promise<string> {
  return given.startsWith("@") ? contentOf(given.slice(1)) : given;
}

/** The content of a file. Throws CommandFault when it cannot be read. */
export async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new CommandFault(`there is no file ${path}.`);
    throw withPath(error, path);
  }
}
