import { plugin } from "bun";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { MARK, markFunctions } from "./mark-functions.ts";

const ROOT = join(import.meta.dir, "../..");
const files: string[] = [];
const ran = new Set<number>();

Object.assign(globalThis, { [MARK]: (file: number) => ran.add(file) });

// Loaded before the program, whose sources then say which of them run.
plugin({
  name: "marked sources",
  setup(build) {
    build.onLoad({ filter: /\/src\/[^.]*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const name = relative(ROOT, path);
      if (!name.startsWith("src/")) return { contents: text, loader: "ts" };
      return { contents: markFunctions(path, text, files.push(name) - 1), loader: "ts" };
    });
  },
});

/** Files of src with a function that has run since the last call. */
export function ranFiles(): string[] {
  const names = [...ran].map((file) => files[file] ?? "");
  ran.clear();
  return names;
}
