import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Lines of all files on the path together: a change that needs more makes it shorter elsewhere. */
const LINES_LIMIT = 4_700;

const onPath: string[] = JSON.parse(
  execFileSync(process.execPath, ["--preload", "./test/path/marked-sources.ts", "./test/path/run-jobs.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  }),
);

test("docs/architecture.md lists exactly the files between the socket and the commit of a run", () => {
  const text = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
  const [, section = ""] = /^## One job, file by file$(.*?)^## /ms.exec(text) ?? [];
  const listed = [...section.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, path = ""]) => path);
  expect({
    missing: onPath.filter((path) => !listed.includes(path)),
    superfluous: listed.filter((path) => !onPath.includes(path)),
  }).toEqual({ missing: [], superfluous: [] });
  expect(new Set(listed).size).toBe(listed.length);
});

test(`these files have no more than ${LINES_LIMIT} lines together`, () => {
  const lines = onPath.map((path) => readFileSync(join(ROOT, path), "utf8").split("\n").length - 1);
  expect(lines.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(LINES_LIMIT);
});
