import { DetachedCpu } from "./suite-cpu.ts";
import { SuiteRoom } from "./suite-room.ts";
import type { Suite } from "./suites.ts";

export interface SuiteOutcome {
  readonly name: string;
  readonly seconds: number;
  /** CPU time of all its processes. */
  readonly cpuSeconds: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The line of each test that failed, so that they stand together at the end. */
  readonly failures: readonly string[];
}

/** A suite that says nothing for longer than this hangs. */
const LIMIT_MS = 30 * 60_000;

/** What a run prints of a suite: its output at once, at its end, or at its end only if it failed. */
export type Shown = "live" | "at the end" | "failures";

/**
 * Runs a suite and counts its tests; a suite without tests counts as one. What it leaves running is ended,
 * and a failure each.
 */
export async function runSuite(suite: Suite, shown: Shown = "live"): Promise<SuiteOutcome> {
  const startedAt = performance.now();
  const title = `\n--- ${suite.name} ---\n`;
  if (shown === "live") process.stdout.write(title);
  const { code, output, left, cpuSeconds } = await run(suite, shown === "live");
  const seconds = (performance.now() - startedAt) / 1_000;
  const passed = count(output, "pass");
  const failed = count(output, "fail");
  // A suite without tests counts as one, and a runner that fails without a failed test has broken down.
  const isOne = passed + failed === 0;
  const own = Math.max(failed, code === 0 ? 0 : 1);
  if (shown === "at the end") process.stdout.write(title + output);
  if (shown === "failures" && own + left.length > 0) process.stdout.write(title + withoutPasses(output));
  for (const line of left) console.error(line);
  return {
    name: suite.name,
    seconds,
    cpuSeconds,
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
  readonly cpuSeconds: number;
}

async function run({ command, env, name }: Suite, isLive: boolean): Promise<Ended> {
  const room = new SuiteRoom();
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env, ...room.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const detached = new DetachedCpu(room.mark);
  const limit = setTimeout(() => {
    console.error(`suite ${name} did not end within ${LIMIT_MS / 60_000} minutes`);
    child.kill("SIGKILL");
  }, LIMIT_MS);
  let output = "";
  const collect = async (from: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const piece of from) {
      output += decoder.decode(piece, { stream: true });
      if (isLive) process.stdout.write(piece);
    }
  };
  const closed = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const code = await child.exited;
  clearTimeout(limit);
  const cpuSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000 + detached.end();
  // First: what is left may hold the output open.
  const left = await room.clear();
  await closed;
  return { code, output, left, cpuSeconds };
}

function withoutPasses(output: string): string {
  return output.replaceAll(/^\(pass\) .*\n/gm, "");
}

/** The closing lines of `bun test` are like ` 12 pass`. */
function count(output: string, what: string): number {
  const matches = [...output.matchAll(new RegExp(`^ (\\d+) ${what}$`, "gm"))];
  return matches.reduce((sum, match) => sum + Number(match[1]), 0);
}
