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
    expect(readFileSync(join(out, "report.md"), "utf8")).toMatch(/^## What must hold$|^# Two builds$/m);
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

test("the quick benchmark of depth, memory, endpoints, start, rate limits and idle workers runs", () => {
  const rows = quickRun("depth", "memory", "endpoints", "start", "rate-limits", "idle");
  const counts = [...rows].map(([workload, names]) => [workload, names.length]);
  expect(Object.fromEntries(counts)).toEqual({
    depth: 2,
    memory: 3,
    endpoints: 2,
    start: 3,
    "rate-limits": 13,
    idle: 4,
  });
});

test("the quick benchmark of large bodies and streams runs", () => {
  const rows = quickRun("large-bodies", "streams");
  expect(rows.get("large-bodies")).toHaveLength(5);
  expect(rows.get("streams")).toHaveLength(10);
});

test("the quick benchmark of backups, deletions and webhooks runs", () => {
  const rows = quickRun("backup", "deletion", "webhooks");
  expect(rows.get("backup")).toEqual(["before", "during the backup"]);
  expect(rows.get("deletion")).toEqual(["before", "while old results are deleted"]);
  expect(rows.get("webhooks")).toContain("healthy receivers, first attempts");
});

test("the quick benchmark of finding jobs and of the history runs on SQLite", () => {
  const rows = quickRun("find", "history", "--only", "SQLite");
  expect(rows.get("find")?.slice(0, 2)).toEqual(["SQLite: no filter", "SQLite: state=FAILED"]);
  expect(rows.get("history")).toEqual(["SQLite, --history 7d", "SQLite, --history 0"]);
});

test("two builds are measured in turns, without peers", () => {
  const ROOT = join(import.meta.dir, "../..");
  const names = ["own library on Bun, exchange", "own library on Node, exchange"];
  const rows = quickRun("jobs", "--against", ROOT, "--only", ", exchange");
  expect(rows.get("jobs")).toEqual(
    names.flatMap((name) => [`Forebay, ${name}`, `Forebay, ${name} (other build)`]),
  );
});

test.each([
  [["jobs", "--against", "/nowhere"], 1, "/nowhere has no src/cli/main.ts"],
  [["--against", "."], 2, "Name the workloads to measure with --against."],
] as const)("the benchmark refuses %j", (args, code, text) => {
  const { status, stderr } = spawnSync(process.execPath, [BENCHMARK, ...args], { encoding: "utf8" });
  expect(status).toBe(code);
  expect(stderr).toContain(text);
});

test("the benchmark refuses a workload that it does not know", () => {
  const { status, stderr } = spawnSync(process.execPath, [BENCHMARK, "nothing"], { encoding: "utf8" });
  expect(status).toBe(2);
  expect(stderr).toContain("Unknown workload: nothing.");
});
