import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const QEMU = "/usr/bin/qemu-aarch64-static";
/** The C library of arm64, below which the emulator looks first. */
export const ARM64_LIBRARIES = "/usr/aarch64-linux-gnu";

const ROOT = join(import.meta.dir, "../..");

export interface Build {
  /** The directory of the sources; that of this clone by default. */
  readonly root?: string;
  readonly platforms?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Builds executables, and answers the directory that holds them. */
export function buildExecutables({ root = ROOT, platforms = [], env }: Build = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["build/executables.ts", ...platforms], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the build ended with ${status}: ${stdout}${stderr}`);
  return join(root, "dist");
}
