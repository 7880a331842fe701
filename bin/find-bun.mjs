// Finds the Bun binary that npm installed. It lies in the package of this platform, or, where npm ran the install
// script of `bun`, in that package. npm 12 runs no install scripts by default, so neither can be relied on.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const platform = process.platform === "win32" ? "windows" : process.platform;
const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
const here = createRequire(import.meta.url);

export function findBun() {
  const bun = directoryOf("bun", here);
  // pnpm links the packages of the platforms beside `bun` alone.
  const require = bun === undefined ? here : createRequire(join(bun, "package.json"));
  const file = platform === "windows" ? "bun.exe" : "bun";
  const paths = ["", "-musl"]
    .map((libc) => directoryOf(`@oven/bun-${platform}-${cpu}${libc}`, require))
    .map((directory) => directory && join(directory, "bin", file));
  const failures = [];
  for (const path of [...paths, bun && join(bun, "bin/bun.exe")]) {
    // The install script of `bun` moves the file.
    if (path === undefined || !existsSync(path)) continue;
    const { status, error, stderr } = spawnSync(path, ["--version"], { encoding: "utf8" });
    if (status === 0) return path;
    failures.push(`${path} does not start: ${error ? error.message : stderr.trim()}.`);
  }
  console.error(`forebay: ${sentence(failures[0], platforms(bun))}`);
  process.exit(2);
}

function sentence(failure, supported) {
  if (!supported.includes(`${platform}-${cpu}`) && supported.length > 0) {
    return `Bun, on which Forebay runs, does not support ${platform}-${cpu}. It supports ${supported.join(", ")}.`;
  }
  const problem = failure || `the Bun runtime for ${platform}-${cpu} is not installed.`;
  return `${problem} Remove the directory node_modules, and run: npm install --include=optional`;
}

/** Those that Bun has a package for; none if `bun` itself is missing. */
function platforms(bun) {
  if (bun === undefined) return [];
  const names = Object.keys(here(join(bun, "package.json")).optionalDependencies);
  return names.map((name) => name.replace("@oven/bun-", "")).filter((name) => !/-(musl|android)$/.test(name));
}

function directoryOf(name, require) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined; // npm installs only the packages that fit the machine
  }
}
