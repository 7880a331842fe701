import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

const WORKER = `
import * as serverless from "@forebay/worker";
await serverless.start<{ n: number }>({ handler: ({ input }) => 2 * input.n });
`;

describe("the packages, as npm packs them, in an empty directory", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "forebay-packages-"));
    for (const of of [ROOT, join(ROOT, "sdk")]) {
      run(["npm", "pack", "--silent", "--pack-destination", directory], of);
    }
    const tarballs = readdirSync(directory).map((name) => join(directory, name));
    run(["npm", "init", "--yes"], directory);
    run(["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], directory);
    writeFileSync(join(directory, "handler.ts"), WORKER);
  }, 120_000);
  afterAll(() => rmSync(directory, { recursive: true }));

  test("npx forebay dev runs a job of a handler that imports the worker library", () => {
    const { stdout } = run(["npx", "forebay", "dev", "handler.ts", "--input", '{"n": 21}'], directory);
    expect(stdout).toBe("42\n");
  });

  test("hold what runs and nothing of the tests", () => {
    const names = readdirSync(join(directory, "node_modules/forebay"));
    const expected = [
      "LICENSE",
      "README.md",
      "bin",
      "console",
      "examples",
      "node_modules",
      "package.json",
      "src",
    ];
    expect(names.toSorted()).toEqual(expected);
  });
});

function run([program = "", ...args]: readonly string[], cwd: string): { stdout: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return { stdout };
}
