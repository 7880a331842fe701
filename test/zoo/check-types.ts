import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endOf } from "../support/run-program.ts";
import type { Member } from "./member.ts";
import { broken, fits, Tree } from "./tree.ts";

/** A break may leave an import or a parameter unused. */
const CONFIG = {
  extends: "./tsconfig.json",
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ["src"],
};

/**
 * What the compiler says about the broken builds; empty when they are correct TypeScript. Members are checked
 * together, those whose breaks overlap one after another.
 */
export async function typeFaults(members: readonly Member[], directory: string): Promise<string> {
  let left = members;
  for (let round = 0; left.length > 0; round += 1) {
    const place = join(directory, String(round));
    mkdirSync(place);
    const { directory: root } = new Tree(place);
    writeFileSync(join(root, "tsconfig.zoo.json"), JSON.stringify(CONFIG));
    left = breakAll(left, root);
    const words = ["node_modules/.bin/tsc", "-p", "tsconfig.zoo.json"];
    const { status, stdout, stderr } = await endOf(words, { cwd: root });
    if (status !== 0) return stdout + stderr;
  }
  return "";
}

/** Breaks a tree as often as possible. The answer is the members that did not fit any more. */
function breakAll(members: readonly Member[], root: string): Member[] {
  return members.filter((member) => {
    const path = join(root, member.file);
    const text = readFileSync(path, "utf8");
    if (!fits(member, text)) return true;
    writeFileSync(path, broken(member, text));
    return false;
  });
}
