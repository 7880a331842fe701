import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endOf } from "../support/run-program.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const ROOT = join(import.meta.dir, "../..");

/** Lets Node say that it is another one, or on another machine. */
const OTHERS = `
for (const [name, value] of Object.entries(JSON.parse(process.env.PRETENDED))) {
  Object.defineProperty(process, name, { value });
}`;

/** Runs the launcher in an installation that has the package \`bun\`, and no binary of it. */
async function launched(pretended: object): Promise<unknown> {
  await using room = await temporaryDirectory();
  cpSync(join(ROOT, "bin"), join(room.path, "bin"), { recursive: true });
  const bun = join(room.path, "node_modules/bun");
  mkdirSync(bun, { recursive: true });
  cpSync(join(ROOT, "node_modules/bun/package.json"), join(bun, "package.json"));
  writeFileSync(join(room.path, "others.cjs"), OTHERS);
  const words = ["node", "--require", "./others.cjs", "bin/forebay.mjs", "--version"];
  const env = { PRETENDED: JSON.stringify(pretended) };
  const { status, stdout, stderr } = await endOf(words, { cwd: room.path, env });
  return [status, stdout, stderr];
}

describe("forebay says in one sentence why it cannot start, with exit code 2", () => {
  test("a Node that is too old", async () => {
    expect(await launched({ versions: { node: "18.20.8" } })).toEqual([
      2,
      "",
      "forebay: this is Node 18.20.8, and Forebay needs Node 20 or newer. Install a newer Node.\n",
    ]);
  });

  test("a platform that Bun does not support", async () => {
    expect(await launched({ platform: "linux", arch: "riscv64" })).toEqual([
      2,
      "",
      "forebay: Bun, on which Forebay runs, does not support linux-riscv64. It supports darwin-aarch64, " +
        "darwin-x64, linux-aarch64, linux-x64, freebsd-aarch64, freebsd-x64, windows-x64, windows-aarch64.\n",
    ]);
  });

  test("an install that left the runtime out", async () => {
    expect(await launched({ platform: "linux", arch: "arm64" })).toEqual([
      2,
      "",
      "forebay: the Bun runtime for linux-aarch64 is not installed. " +
        "Remove the directory node_modules, and run: npm install --include=optional\n",
    ]);
  });
});
