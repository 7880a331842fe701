import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { CommandFault } from "../command-fault.ts";

/**
 * The input of a job as JSON: inline, from a file, or with `-` from the standard input. Throws CommandFault.
 */
export async function readInput(given: string): Promise<string> {
  const json = await textOf(given);
  if (isObject(json)) return json;
  throw new CommandFault('the input must be a JSON object, like {"name": "world"}.');
}

async function textOf(given: string): Promise<string> {
  if (given === "-") return text(process.stdin);
  if (/^\s*[{[]/.test(given)) return given;
  try {
    return await readFile(given, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFault(`the input cannot be read: ${reason}. Name a file, or give JSON, or - for stdin.`);
  }
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
