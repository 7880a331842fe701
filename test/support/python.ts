import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const REQUIREMENTS = join(ROOT, "test/python/requirements.txt");
const CACHE = join(ROOT, ".cache/python");

/** Python or one of its packages is not to be had on this machine. */
export class PythonMissing extends Error {}

/**
 * The interpreter that has the packages of test/python/requirements.txt and no others. Throws PythonMissing.
 */
export function pythonProgram(): string {
  program ??= join(directoryOf(), "bin/python");
  if (existsSync(program)) return program;
  throw new PythonMissing("The packages are not installed. Run: node bin/bun.mjs test/python/prepare.ts");
}

let program: string | undefined;

/** Installs the packages, once for each version of their list and of Python. Throws PythonMissing. */
export function preparePython(): void {
  const directory = directoryOf();
  if (existsSync(directory)) return;
  mkdirSync(CACHE, { recursive: true });
  // Made under a name of its own and renamed when it is whole: two runs at once do not meet halfway.
  const unfinished = `${directory}.${process.pid}`;
  try {
    run("python3", ["-m", "venv", unfinished]);
    const install = "-m pip install --quiet --disable-pip-version-check --no-input --requirement";
    run(join(unfinished, "bin/python"), [...install.split(" "), REQUIREMENTS]);
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function directoryOf(): string {
  const version = run("python3", ["--version"]);
  const key = createHash("sha256").update(version).update(readFileSync(REQUIREMENTS)).digest("hex");
  return join(CACHE, key.slice(0, 16));
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  const reason = error?.message ?? stderr.trim().split("\n").at(-1) ?? "";
  throw new PythonMissing(`${[program, ...args].join(" ")} failed: ${reason}`);
}
