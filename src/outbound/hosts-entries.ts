import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { errorCode } from "../domain/errors.ts";

/**
 * The addresses that a hosts file gives a name; none without the file. Its lines are
 * `address name name # comment`; names are compared without case and without a dot at the end.
 */
export async function hostsEntries(file: string, name: string): Promise<string[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return (await textOf(file)).split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((other) => other.toLowerCase() === wanted) ? [address] : [];
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return "";
  }
}
