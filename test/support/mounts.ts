import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/**
 * Unmounts all that is mounted in the directory or below it, and answers where that was, the innermost first.
 * Does nothing where the system does not tell of its mounts.
 */
export function unmountIn(directory: string): string[] {
  if (!existsSync("/proc/self/mounts")) return [];
  const paths = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((path) => path === directory || path.startsWith(`${directory}/`))
    .toReversed();
  for (const path of paths) spawnSync("umount", ["-l", path]);
  return paths;
}
