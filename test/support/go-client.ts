import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** Where the program of the Go SDK lies when it is built. */
export function goClient(): string {
  return join(ROOT, ".cache/go-sdk/client");
}

/** Builds it, with the module of the SDK as `go.sum` has it. What stood against that; undefined: nothing. */
export function buildGoClient(): string | undefined {
  mkdirSync(join(ROOT, ".cache/go-sdk"), { recursive: true });
  const cwd = join(ROOT, "test/go-sdk");
  const { error, status, stderr } = spawnSync("go", ["build", "-o", goClient(), "."], {
    cwd,
    encoding: "utf8",
  });
  if (error !== undefined) return `Go is not installed (${error.message})`;
  return status === 0 ? undefined : stderr.trimEnd();
}
