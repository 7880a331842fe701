import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processesWith } from "../support/processes.ts";
import { until } from "../support/until.ts";

const BENCHMARK = join(import.meta.dir, "../../bench/run.ts");

/** A benchmark of the contestants with `only` in their names, and what it started. */
function startBenchmark(only: string, jobs: number) {
  const mark = `BENCHMARK_UNDER_TEST=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const args = [BENCHMARK, "--rounds", "1", "--jobs", String(jobs), "--only", only];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, [name]: value },
    stdio: "ignore",
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const left = (): number[] => processesWith(mark);
  /** The process whose command line has this in it. */
  const started = (program: string): Promise<number> =>
    until(`${program} runs`, () =>
      left().find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program)),
    );
  return { child, ended, left, started };
}

describe("a benchmark leaves no process behind", () => {
  const ONLY = "Forebay on SQLite, public protocol";

  test("when a contestant is killed midway", async () => {
    const { ended, left, started } = startBenchmark(ONLY, 2_000);
    await started("submitters.ts");
    process.kill(await started("public-workers.ts"), "SIGKILL");
    expect(await ended).not.toBe(0);
    await until("nothing of it runs", () => left().length === 0);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("when it is ended by %s", async (signal) => {
    const { child, ended, left, started } = startBenchmark(ONLY, 1_000_000);
    await started("submitters.ts");
    child.kill(signal);
    expect(await ended).toBe(signal === "SIGINT" ? 130 : 143);
    await until("nothing of it runs", () => left().length === 0);
  });
});
