// Finds the Bun binary that npm installed. It lies in the package of this platform, or, where npm ran the install
// script of `bun`, in that package. npm 12 runs no install scripts by default, so neither can be relied on.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

export function findBun() {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const cpu = process.arch === "arm64" ? "aarch64" : process.arch;
  for (const name of [`@oven/bun-${platform}-${cpu}`, `@oven/bun-${platform}-${cpu}-musl`, "bun"]) {
    const path = binaryOf(name);
    if (path !== undefined && spawnSync(path, ["--version"]).status === 0) return path;
  }
  console.error(`forebay: no Bun runtime for ${platform}-${cpu} is installed. Run: npm install`);
  process.exit(2);
}

function binaryOf(name) {
  const file = name === "bun" || process.platform === "win32" ? "bun.exe" : "bun";
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), "bin", file);
  } catch {
    return undefined; // npm installs only the package that fits the machine
  }
}
