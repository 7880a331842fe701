import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SuiteRoom } from "../support/suite-room.ts";
import type { Suite } from "../support/suites.ts";
import type { Catcher } from "./member.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** What Bun gives a test where its suite says nothing, and what a member waits for at most, ms. */
const USUAL_LIMIT = 5_000;
const LONGEST_LIMIT = 20_000;
/** A run that takes longer hangs, ms. */
const RUN_LIMIT_MS = 120_000;

export interface Run {
  readonly verdict: Verdict;
  readonly seconds: number;
  readonly output: string;
}

/** Runs the tests of a member in a tree, up to the first that fails. What they leave running is ended. */
export async function runTests(
  directory: string,
  suite: Suite,
  { files, test, limit: own }: Catcher,
): Promise<Run> {
  const startedAt = performance.now();
  const room = new SuiteRoom();
  const report = join(room.env["TMPDIR"] ?? "", "report.xml");
  const pattern = test === undefined ? [] : ["-t", test];
  const options = [
    "--isolate",
    "--bail",
    `--timeout=${own ?? limitOf(suite)}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
  ];
  const words = ["test", ...options, ...pattern, ...files.map((file) => `./${file}`)];
  const child = spawn(process.execPath, words, {
    cwd: directory,
    // A test need not explain its failure at length.
    env: { ...process.env, ...suite.env, ...room.env, SHRINK_TIME: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), RUN_LIMIT_MS);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  }
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  clearTimeout(limit);
  const verdict = verdictOf(existsSync(report) ? readFileSync(report, "utf8") : undefined, code);
  const seconds = (performance.now() - startedAt) / 1_000;
  await room.clear();
  return { verdict, seconds, output };
}

/** The limit of a test in its suite. */
function limitOf({ command }: Suite): number {
  const own = command.find((word) => word.startsWith("--timeout="))?.slice("--timeout=".length);
  return Math.min(Number(own ?? USUAL_LIMIT), LONGEST_LIMIT);
}
