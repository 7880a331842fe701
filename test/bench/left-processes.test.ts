import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processesWith } from "../support/processes.ts";
import { until } from "../support/until.ts";

const BENCHMARK = join(import.meta.dir, "../../bench/run.ts");

/** Starts a benchmark of the cases with `only` in their names, and finds the processes of it. */
function startBenchmark(only: string, jobs: number) {
  const mark = `BENCHMARK_UNDER_TEST=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const out = mkdtempSync(join(tmpdir(), "bench-report-"));
  const size = ["--rounds", "1", "--warm-up", "1", "--jobs", String(jobs)];
  const args = [BENCHMARK, "jobs", ...size, "--only", only, "--out", out];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, [name]: value },
    stdio: "ignore",
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("exit", (code) => {
      rmSync(out, { recursive: true });
      resolve(code);
    });
  });
  const left = (): number[] => processesWith(mark);
  /** The process whose command line has this in it. */
  const started = (program: string): Promise<number> =>
    until(`${program} runs`, () => left().find((pid) => commandLineOf(pid).includes(program)));
  return { child, ended, left, started };
}

/** Empty once the process has ended, as many short ones do meanwhile. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) {
      return "";
    }
    throw error;
  }
}

describe("a benchmark leaves no process behind", () => {
  const ONLY = "Forebay, public protocol";

  test("when a contestant is killed midway", async () => {
    const { ended, left, started } = startBenchmark(ONLY, 2_000);
    await started("load/client.ts");
    process.kill(await started("public-workers.ts"), "SIGKILL");
    expect(await ended).not.toBe(0);
    await until("nothing of it runs", () => left().length === 0);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("when it is ended by %s", async (signal) => {
    const { child, ended, left, started } = startBenchmark(ONLY, 1_000_000);
    await started("load/client.ts");
    child.kill(signal);
    expect(await ended).toBe(signal === "SIGINT" ? 130 : 143);
    await until("nothing of it runs", () => left().length === 0);
  });
});
