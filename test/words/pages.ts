import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

export interface PageLine {
  readonly place: string;
  readonly text: string;
}

/** Decisions are history, and the others consist of names of tests. */
const LEFT_OUT = /^decisions\/|-coverage\.md$/;

/** The lines of the pages for users, without code. */
export function linesOfPages(): PageLine[] {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md") && !LEFT_OUT.test(path))
    .map((path) => `docs/${path}`);
  return ["README.md", ...pages].flatMap((path) => {
    let isCode = false;
    return readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const isFence = line.trimStart().startsWith("```");
        if (isFence) isCode = !isCode;
        const text = line.replaceAll(/`[^`]*`/g, "x");
        return isFence || isCode ? [] : [{ place: `${path}:${index + 1}`, text }];
      });
  });
}
