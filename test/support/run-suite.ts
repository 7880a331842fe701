import { spawn } from "node:child_process";
import type { Suite } from "./suites.ts";

export interface SuiteOutcome {
  readonly name: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The line of each test that failed, so that they stand together at the end. */
  readonly failures: readonly string[];
}

/** A suite that says nothing for longer than this hangs. */
const LIMIT_MS = 30 * 60_000;

/** Runs a suite with its output passed on, and counts its tests; a suite without tests counts as one. */
export async function runSuite(suite: Suite): Promise<SuiteOutcome> {
  const startedAt = performance.now();
  console.log(`\n--- ${suite.name} ---`);
  const { code, output } = await run(suite);
  const seconds = (performance.now() - startedAt) / 1_000;
  const counted = {
    passed: count(output, "pass"),
    failed: count(output, "fail"),
    skipped: count(output, "skip"),
  };
  // The runner repeats them at its end.
  const failures = [...new Set(output.split("\n").filter((line) => line.startsWith("(fail) ")))];
  const hasTests = counted.passed + counted.failed > 0;
  const broken = code === 0 ? 0 : 1;
  if (!hasTests)
    return { name: suite.name, seconds, passed: 1 - broken, failed: broken, skipped: 0, failures };
  // A runner that fails without a failed test has broken down.
  return { name: suite.name, seconds, ...counted, failed: Math.max(counted.failed, broken), failures };
}

function run({ command, env, name }: Suite): Promise<{ code: number; output: string }> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const limit = setTimeout(() => {
    console.error(`suite ${name} did not end within ${LIMIT_MS / 60_000} minutes`);
    child.kill("SIGKILL");
  }, LIMIT_MS);
  let output = "";
  const collect = (piece: Buffer): void => {
    output += piece.toString();
    process.stdout.write(piece);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** The closing lines of `bun test` are like ` 12 pass`. */
function count(output: string, what: string): number {
  const matches = [...output.matchAll(new RegExp(`^ (\\d+) ${what}$`, "gm"))];
  return matches.reduce((sum, match) => sum + Number(match[1]), 0);
}
