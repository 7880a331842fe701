import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BENCHMARK = join(import.meta.dir, "../../bench/run.ts");

/** The rows of a quick run, by workload. */
function quickRun(...args: string[]): ReadonlyMap<string, readonly string[]> {
  const out = mkdtempSync(join(tmpdir(), "bench-quick-"));
  try {
    const command = [BENCHMARK, "--quick", "--out", out, ...args];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.anything() });
    expect(readFileSync(join(out, "report.md"), "utf8")).toContain("## What must hold");
    const workloads = JSON.parse(readFileSync(join(out, "figures.json"), "utf8")) as {
      workload: string;
      rounds: Record<string, Record<string, number>>[];
    }[];
    const figures = workloads.flatMap(({ rounds }) => rounds.flatMap((round) => Object.values(round)));
    // JSON has null for what is no number.
    expect(figures.flatMap((row) => Object.values(row)).filter((value) => value === null)).toEqual([]);
    return new Map(workloads.map(({ workload, rounds }) => [workload, Object.keys(rounds[0] ?? {})]));
  } finally {
    rmSync(out, { recursive: true });
  }
}

test("the quick benchmark of whole jobs, runsync and handlers runs over the public protocol", () => {
  const rows = quickRun("jobs", "runsync", "handler-start", "--only", "public protocol");
  expect(rows.get("jobs")).toEqual([
    "Forebay, public protocol",
    "Forebay, own library on Bun, public protocol",
  ]);
  expect(rows.get("runsync")).toEqual([10, 100, 1_000].map((rate) => `Forebay, public protocol, ${rate}/s`));
  expect(rows.get("handler-start")).toEqual([
    "worker on Bun, public protocol",
    "worker on Node, public protocol",
  ]);
});

test("the quick benchmark of depth, memory, endpoints, start and rate limits runs", () => {
  const rows = quickRun("depth", "memory", "endpoints", "start", "rate-limits");
  const counts = [...rows].map(([workload, names]) => [workload, names.length]);
  expect(Object.fromEntries(counts)).toEqual({
    depth: 2,
    memory: 3,
    endpoints: 2,
    start: 3,
    "rate-limits": 13,
  });
});

test("the quick benchmark of large bodies runs", () => {
  expect(quickRun("large-bodies").get("large-bodies")).toHaveLength(5);
});

test("the benchmark refuses a workload that it does not know", () => {
  const { status, stderr } = spawnSync(process.execPath, [BENCHMARK, "nothing"], { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain("Unknown workload: nothing.");
});
