import { readFile } from "node:fs/promises";
import { errorCode, withPath } from "../domain/errors.ts";
import { CommandFault } from "./command-fault.ts";

/** The text itself, or for `@file` the content of the file. Throws CommandFault. */
export async function textOrFile(given: string): Promise<string> {
  return given.startsWith("@") ? contentOf(given.slice(1)) : given;
}

/** The content of a file. Throws CommandFault if it does not exist. */
export async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") throw new CommandFault(`there is no file ${path}.`);
    throw withPath(error, path);
  }
}
