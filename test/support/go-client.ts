import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PartMissing } from "./prepare-suite.ts";

const ROOT = join(import.meta.dir, "../..");

/** Where the program of the Go SDK lies when it is built. */
export function goClient(): string {
  return join(ROOT, ".cache/go-sdk/client");
}

/** Builds it, with the module of the SDK as `go.sum` has it. Throws PartMissing. */
export function buildGoClient(): void {
  mkdirSync(join(ROOT, ".cache/go-sdk"), { recursive: true });
  const cwd = join(ROOT, "test/go-sdk");
  const { error, status, stderr } = spawnSync("go", ["build", "-o", goClient(), "."], {
    cwd,
    encoding: "utf8",
  });
  if (error !== undefined) throw new PartMissing(`Go is not installed (${error.message})`);
  if (status !== 0) throw new PartMissing(stderr.trimEnd());
}
