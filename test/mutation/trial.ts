import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../src/domain/errors.ts";
import type { TestFile } from "./test-files.ts";

export interface Trial {
  readonly directory: string;
  readonly test: TestFile;
  /** A pattern of the tests to run. */
  readonly pattern?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly limitSeconds: number;
}

export interface TrialOutcome {
  readonly isPassed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs a test file of an instrumented copy, and ends all that it has started. */
export async function runTrial(trial: Trial): Promise<TrialOutcome> {
  const { directory, test, args = [], env, limitSeconds } = trial;
  const pattern = trial.pattern ?? test.only;
  const room = mkdtempSync(join(directory, "room-"));
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      "test",
      "--isolate",
      "--timeout=30000",
      ...args,
      ...(pattern === undefined ? [] : ["-t", pattern]),
      `./${test.file}`,
    ],
    {
      cwd: directory,
      // The same random values each time, so that each trial runs what was noted.
      env: { ...process.env, SEED: "1", TMPDIR: room, ...test.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => pieces.push(piece));
  const limit = setTimeout(() => killGroup(child.pid), limitSeconds * 1_000);
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  clearTimeout(limit);
  const seconds = (performance.now() - startedAt) / 1_000;
  killGroup(child.pid);
  rmSync(room, { recursive: true, force: true });
  return { isPassed: code === 0, seconds, output: Buffer.concat(pieces).toString() };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
