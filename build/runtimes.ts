import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import lock from "../package-lock.json" with { type: "json" };

/** A platform, and the npm package that has the runtime for it. */
const PACKAGES = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
} as const;

export type Platform = keyof typeof PACKAGES;

export function isPlatform(name: string): name is Platform {
  return name in PACKAGES;
}

export const PLATFORMS = Object.keys(PACKAGES);

/**
 * The path of the runtime for a platform. npm downloads its package once into `cache`. Version and digest of
 * the package must be those in package-lock.json.
 */
export function runtimeFor(platform: Platform, cache: string): string {
  const { version, integrity } = lock.packages[`node_modules/${PACKAGES[platform]}`];
  const directory = join(cache, `${platform}-${version}`);
  const runtime = join(directory, "bun");
  if (existsSync(runtime)) return runtime;
  mkdirSync(cache, { recursive: true });
  const download = mkdtempSync(join(cache, "download-"));
  try {
    const pack = ["pack", "--silent", "--pack-destination", download, `${PACKAGES[platform]}@${version}`];
    execFileSync("npm", pack, { stdio: ["ignore", "ignore", "inherit"] });
    const [tarball = ""] = readdirSync(download);
    refuseOther(join(download, tarball), integrity);
    execFileSync("tar", ["-xzf", tarball, "--strip-components=2", "package/bin/bun"], { cwd: download });
    chmodSync(join(download, "bun"), 0o755);
    rmSync(join(download, tarball));
    renameSync(download, directory);
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
  return runtime;
}

function refuseOther(tarball: string, integrity: string): void {
  const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (`sha512-${digest}` === integrity) return;
  throw new Error(`The digest of ${tarball} is sha512-${digest}, and package-lock.json names another one.`);
}
