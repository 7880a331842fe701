import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PartMissing } from "./prepare-suite.ts";

/** The lines of Node that the worker library runs on. */
export const NODE_VERSIONS = ["20.20.2", "22.23.3", "24.21.0"] as const;

const CACHE = join(import.meta.dir, "../../.cache/node");
/** The npm package that is nothing but the program, for this machine. */
const PACKAGE = `node-${process.platform}-${process.arch}`;

/** The program of this version. Throws PartMissing. */
export function nodeProgram(version: string): string {
  const program = join(CACHE, version, "node_modules", PACKAGE, "bin/node");
  if (existsSync(program)) return program;
  throw new PartMissing(`Node ${version} is not here. Run: node bin/bun.mjs test/runtimes/prepare.ts`);
}

/** The npm that Node 20 and 22 bring along, as a script for Node. */
export const NPM_10 = join(CACHE, "npm-10.9.9/node_modules/npm/bin/npm-cli.js");

/** Fetches each version once. Throws PartMissing. */
export function prepareNodes(): void {
  for (const version of NODE_VERSIONS) {
    if (fetchOnce(version, `${PACKAGE}@${version}`)) run(nodeProgram(version), ["--version"]);
  }
}

/** Fetches it once. Throws PartMissing. */
export function prepareNpm10(): void {
  fetchOnce("npm-10.9.9", "npm@10.9.9");
}

/** Installs a package into a directory of the cache, unless it is there. */
function fetchOnce(name: string, spec: string): boolean {
  const directory = join(CACHE, name);
  if (existsSync(directory)) return false;
  // Made under a name of its own and renamed when it is whole: two runs at once do not meet halfway.
  const unfinished = `${directory}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  try {
    run("npm", ["install", "--prefix", unfinished, "--no-save", "--ignore-scripts", "--silent", spec]);
    if (!existsSync(directory)) renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return true;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return;
  throw new PartMissing(`${[program, ...args].join(" ")} failed: ${error?.message ?? stderr.trim()}`);
}
