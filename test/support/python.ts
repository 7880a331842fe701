import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PartMissing } from "./prepare-suite.ts";

const ROOT = join(import.meta.dir, "../..");

/** The lists of packages that tests bring; each is an environment of its own. */
const REQUIREMENTS = {
  runpod: join(ROOT, "test/python/requirements.txt"),
  schemathesis: join(ROOT, "test/openapi/requirements.txt"),
  openai: join(ROOT, "test/openai/requirements.txt"),
  gateways: join(ROOT, "test/openai/gateways-requirements.txt"),
  langchain: join(ROOT, "test/python/langchain-requirements.txt"),
  "runpod 1.6.2": join(ROOT, "test/sdk-versions/requirements/1.6.2.txt"),
  "runpod 1.7.7": join(ROOT, "test/sdk-versions/requirements/1.7.7.txt"),
  "runpod 1.7.13": join(ROOT, "test/sdk-versions/requirements/1.7.13.txt"),
  "runpod 2.0.0rc2": join(ROOT, "test/sdk-versions/requirements/2.0.0rc2.txt"),
} as const;

export type Environment = keyof typeof REQUIREMENTS;

const CACHE = join(ROOT, ".cache/python");

/** The interpreter that has the packages of the environment, and no others. Throws PartMissing. */
export function pythonProgram(environment: Environment = "runpod"): string {
  const program = programs.get(environment) ?? join(directoryOf(environment), "bin/python");
  programs.set(environment, program);
  if (existsSync(program)) return program;
  throw new PartMissing(`The packages of ${environment} are not installed: npm test installs them.`);
}

const programs = new Map<Environment, string>();

/** Installs the packages, once for each version of their list and of Python. Throws PartMissing. */
export function preparePython(environment: Environment = "runpod"): void {
  const directory = directoryOf(environment);
  if (existsSync(directory)) return;
  mkdirSync(CACHE, { recursive: true });
  // Made under a name of its own and renamed when it is whole: two runs at once do not meet halfway.
  const unfinished = `${directory}.${process.pid}`;
  try {
    run("python3", ["-m", "venv", unfinished]);
    // Each list is complete: it names every package that the tests need.
    const install = "-m pip install --quiet --disable-pip-version-check --no-input --no-deps --requirement";
    run(join(unfinished, "bin/python"), [...install.split(" "), REQUIREMENTS[environment]]);
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * A directory with the packages of the environment as files, for a pip that reaches no index. Throws
 * PartMissing.
 */
export function prepareWheels(environment: Environment = "runpod"): string {
  preparePython(environment);
  const directory = `${directoryOf(environment)}.wheels`;
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.${process.pid}`;
  try {
    const download = "-m pip download --quiet --disable-pip-version-check --no-input --no-deps";
    const words = [...download.split(" "), "--dest", unfinished, "--requirement", REQUIREMENTS[environment]];
    run(pythonProgram(environment), words);
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return directory;
}

function directoryOf(environment: Environment): string {
  const version = run("python3", ["--version"]);
  const key = createHash("sha256")
    .update(version)
    .update(readFileSync(REQUIREMENTS[environment]))
    .digest("hex");
  return join(CACHE, key.slice(0, 16));
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return stdout;
  const reason = error?.message ?? stderr.trim().split("\n").at(-1) ?? "";
  throw new PartMissing(`${[program, ...args].join(" ")} failed: ${reason}`);
}
