import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../domain/errors.ts";

/**
 * How much memory the control groups of this process allow, bytes; infinite without a limit. Parent groups
 * count too: a service has a group below its slice. In a container, the paths of cgroup v1 are those of the
 * host, and the container's own group is the root that it sees.
 */
export async function memoryLimit(root = "/"): Promise<number> {
  const groups = await textOf(join(root, "proc/self/cgroup"));
  const files = groups.split("\n").flatMap((line) => {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === "") return [];
    if (controllers === "") return limitFiles(join(root, "sys/fs/cgroup"), path, "memory.max");
    if (!controllers.split(",").includes("memory")) return [];
    return limitFiles(join(root, "sys/fs/cgroup/memory"), path, "memory.limit_in_bytes");
  });
  const texts = await Promise.all(files.map(textOf));
  return Math.min(...texts.filter((text) => /^\d+$/.test(text)).map(Number));
}

/** The limit of the group and of all its parents. */
function limitFiles(base: string, path: string, file: string): string[] {
  const own = join(base, path, file);
  return path === "/" ? [own] : [own, ...limitFiles(base, dirname(path), file)];
}

/** Empty if the system has no such file. */
export async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return "";
  }
}
