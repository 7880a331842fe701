import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { Suite } from "../support/suites.ts";
import type { Member } from "./member.ts";

export const ROOT = join(import.meta.dir, "../..");

/** Linked, not copied: large, and the same for every member. */
const SHARED = new Set(["node_modules", "dist", ".cache"]);
/** Not part of the build. */
const LEFT_OUT = new Set([".git", ".forebay", ".forebay.key"]);

/** A copy of the checkout in which members are broken. No test can write to the checkout through it. */
export class Tree {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
    const shared: string[] = [];
    const isCopied = (path: string): boolean => {
      const name = basename(path);
      if (SHARED.has(name)) shared.push(relative(ROOT, path));
      return !SHARED.has(name) && !LEFT_OUT.has(name);
    };
    for (const name of readdirSync(ROOT)) {
      const from = join(ROOT, name);
      if (isCopied(from)) cpSync(from, join(directory, name), { recursive: true, filter: isCopied });
    }
    for (const path of shared) symlinkSync(join(ROOT, path), join(directory, path));
  }

  /** Breaks one file. The answer mends it. */
  break(member: Member): () => void {
    const path = join(this.directory, member.file);
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, broken(member, whole));
    return () => writeFileSync(path, whole);
  }
}

/** Whether the text of the member occurs exactly once in a text. */
export function fits(member: Member, text: string): boolean {
  return text.split(member.replace).length === 2;
}

export function broken(member: Member, text: string): string {
  return text.split(member.replace).join(member.by);
}

/** Why a member is not true any more; undefined when it can be run. */
export function faultOf(member: Member, suite: Suite | undefined, root = ROOT): string | undefined {
  const { file, replace, by, caughtBy } = member;
  if (!file.startsWith("src/") || !existsSync(join(root, file))) return `there is no file ${file} in src`;
  if (replace === by) return "it breaks nothing";
  const found = readFileSync(join(root, file), "utf8").split(replace).length - 1;
  if (found !== 1) return `the text to replace occurs ${found} times in ${file}, not once`;
  if (suite === undefined) return `there is no suite "${caughtBy.suite}"`;
  if (caughtBy.files.length === 0) return "it names no test file";
  const missing = caughtBy.files.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) return `there is no test file ${missing}`;
  const isOfSuite = (path: string): boolean =>
    suite.command.some((word) => `./${path}` === word || `./${path}`.startsWith(`${word}/`));
  const foreign = caughtBy.files.find((path) => !isOfSuite(path));
  return foreign === undefined ? undefined : `${foreign} does not belong to the suite "${suite.name}"`;
}
