import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "./config.ts";
import { errorCode } from "./domain/errors.ts";

/**
 * Names this server among those that share its data, the same after each start: the workers that it has
 * started run on its machine, and are its own to end.
 */
export async function loadServerId({ data }: Pick<Config, "data">): Promise<string> {
  if (data === IN_MEMORY) return crypto.randomUUID();
  const path = join(resolve(data), "server-id");
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const id = crypto.randomUUID();
  await mkdir(resolve(data), { recursive: true, mode: 0o700 });
  await writeFile(path, `${id}\n`, { mode: 0o600 });
  return id;
}
