import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** A project of its own that has the worker library as npm packs it, and nothing else. */
export class PackedPackage {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-package-"));
  readonly installed = join(this.directory, "node_modules/@forebay/worker");

  /** `files` are those of the project, by their names. */
  constructor(files: Readonly<Record<string, string>>) {
    run(["npm", "pack", "--silent", "--pack-destination", this.directory], join(ROOT, "sdk"));
    mkdirSync(this.installed, { recursive: true });
    const tarball = readdirSync(this.directory).find((name) => name.endsWith(".tgz")) ?? "no tarball";
    run(["tar", "-xzf", tarball, "--strip-components=1", "-C", this.installed], this.directory);
    writeFileSync(join(this.directory, "package.json"), '{"type":"module"}');
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text);
  }

  /** Runs a program of this repository's tools in the project; fails the test when it fails. */
  run([tool = "", ...args]: readonly string[]): void {
    run([join(ROOT, "node_modules/.bin", tool), ...args], this.directory);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}

function run([program = "", ...args]: readonly string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
}
