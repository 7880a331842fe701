import { spawn } from "node:child_process";
import { SuiteRoom } from "./suite-room.ts";
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

/**
 * Runs a suite and counts its tests; a suite without tests counts as one. Its output is passed on, at once if
 * it is live, or else at its end. What it leaves running is ended, and a failure each.
 */
export async function runSuite(suite: Suite, isLive = true): Promise<SuiteOutcome> {
  const startedAt = performance.now();
  const title = `\n--- ${suite.name} ---\n`;
  if (isLive) process.stdout.write(title);
  const { code, output, left } = await run(suite, isLive);
  if (!isLive) process.stdout.write(title + output);
  const seconds = (performance.now() - startedAt) / 1_000;
  const passed = count(output, "pass");
  const failed = count(output, "fail");
  // A suite without tests counts as one, and a runner that fails without a failed test has broken down.
  const isOne = passed + failed === 0;
  const own = Math.max(failed, code === 0 ? 0 : 1);
  for (const line of left) console.error(line);
  return {
    name: suite.name,
    seconds,
    passed: isOne ? 1 - own : passed,
    failed: own + left.length,
    skipped: count(output, "skip"),
    // The runner repeats them at its end.
    failures: [...new Set(output.split("\n").filter((line) => line.startsWith("(fail) "))), ...left],
  };
}

interface Ended {
  readonly code: number;
  readonly output: string;
  /** A line for each process that it has left. */
  readonly left: readonly string[];
}

async function run({ command, env, name }: Suite, isLive: boolean): Promise<Ended> {
  const [program = "", ...args] = command;
  const room = new SuiteRoom();
  const child = spawn(program, args, {
    env: { ...process.env, ...env, ...room.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const limit = setTimeout(() => {
    console.error(`suite ${name} did not end within ${LIMIT_MS / 60_000} minutes`);
    child.kill("SIGKILL");
  }, LIMIT_MS);
  let output = "";
  const collect = (piece: Buffer): void => {
    output += piece.toString();
    if (isLive) process.stdout.write(piece);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const closed = new Promise((resolve) => child.on("close", resolve));
  const code = await new Promise<number>((resolve) => child.on("exit", (status) => resolve(status ?? 1)));
  clearTimeout(limit);
  // First: what is left may hold the output open.
  const left = await room.clear();
  await closed;
  return { code, output, left };
}

/** The closing lines of `bun test` are like ` 12 pass`. */
function count(output: string, what: string): number {
  const matches = [...output.matchAll(new RegExp(`^ (\\d+) ${what}$`, "gm"))];
  return matches.reduce((sum, match) => sum + Number(match[1]), 0);
}
