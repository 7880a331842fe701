import { spawnSync } from "node:child_process";

/** Builds a package of the Go module in this directory; why it cannot, if so. */
export function goBuild(directory: string, output: string, target: string): string | undefined {
  const go = goProgram();
  if (go === undefined) return "Go is not installed";
  const { status, stderr } = spawnSync(go, ["build", "-o", output, target], {
    cwd: directory,
    encoding: "utf8",
  });
  return status === 0 ? undefined : `go build ${target} failed: ${stderr.trim().slice(-300)}`;
}

/** Go on the PATH, or where its installer puts it. */
export function goProgram(): string | undefined {
  return Bun.which("go") ?? Bun.which("/usr/local/go/bin/go") ?? undefined;
}
