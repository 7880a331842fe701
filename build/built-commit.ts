import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The commit that `forebay --version` names: that of the clone, or the variable BUILT_COMMIT if it is set.
 * Empty for sources without git.
 */
export function builtCommit(root: string): string {
  const given = process.env["BUILT_COMMIT"] ?? "";
  if (given !== "" || !existsSync(join(root, ".git"))) return given;
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
  return git("rev-parse", "--short=12", "HEAD") + (isChanged ? ", changed" : "");
}
