import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "forebay-wrap-"));
  run(["npm", "pack", "--silent", "--pack-destination", directory], ROOT);
  const tarball = readdirSync(directory).find((name) => name.endsWith(".tgz")) ?? "no tarball";
  run(["tar", "-xzf", tarball], directory);
  symlinkSync(join(ROOT, "node_modules/zod"), join(directory, "package/node_modules/zod"));
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

test("forebay as npm packs it has the worker library in it", () => {
  const output = run([process.execPath, "package/src/cli/main.ts", "worker", "--help"], directory);
  expect(output).toStartWith("usage: forebay worker [-- <program> ...] [flags]");
});

function run([program = "", ...args]: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}
