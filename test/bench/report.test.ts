import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { atExit } from "../../bench/at-exit.ts";
import { svgChart } from "../../bench/report/chart.ts";
import { boundCells, markdownReport } from "../../bench/report/markdown.ts";
import { type Outcome, runRounds } from "../../bench/rounds.ts";
import { WORKLOADS } from "../../bench/workloads/all.ts";
import {
  type Case,
  figureGoal,
  type Figures,
  median,
  ratioGoal,
  type Workload,
} from "../../bench/workload.ts";

const WORKLOAD: Workload = {
  id: "fixed",
  title: "Fixed figures",
  about: "Figures that the test gives.",
  rounds: 3,
  minutes: 1,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "p50", title: "p50, ms", digits: 1 },
  ],
  chart: "rate",
  goals: [
    ratioGoal({
      what: "W1 × jobs/s of the best peer",
      row: "Forebay",
      key: "rate",
      against: (row) => row.startsWith("peer"),
      must: { least: 1.2 },
      aim: { least: 2.5 },
    }),
    figureGoal({ what: "W2 p50, ms", row: "Forebay", key: "p50", must: { most: 1 }, digits: 1 }),
    figureGoal({ what: "W3 of no row", row: "peer D", key: "p50", must: { most: 1 }, digits: 1 }),
  ],
  cases: async () => [],
};

const ROUNDS: Readonly<Record<string, Figures>>[] = [
  { Forebay: { rate: 4_000, p50: 2 }, "peer A": { rate: 1_000 }, "peer <B>": { rate: 2_000 } },
  { Forebay: { rate: 6_000, p50: 4 }, "peer A": { rate: 9_000 }, "peer <B>": { rate: 2_000 } },
  { Forebay: { rate: 5_000, p50: 3 }, "peer A": { rate: 1_500 }, "peer <B>": { rate: 2_500 } },
];

const OTHER: Workload = {
  ...WORKLOAD,
  goals: [
    figureGoal({ what: "W4 of another workload", row: "Forebay", key: "p50", aim: { most: 1 }, digits: 1 }),
  ],
};

const OUTCOME: Outcome = {
  workload: WORKLOAD,
  rounds: ROUNDS.map((round) => new Map(Object.entries(round))),
  missing: [
    { name: "peer C", reason: "it is not\ninstalled", hasFailed: false },
    { name: "peer D", reason: "its server ended", hasFailed: true },
  ],
  minutes: 1.25,
};

describe("the report of a benchmark", () => {
  const report = markdownReport([WORKLOAD, OTHER], [OUTCOME], ["2 cores"], "chart.svg");

  test("shows each figure as the median of the rounds, with the range", () => {
    expect(report).toContain("|  | jobs/s | p50, ms |\n|---|---|---|\n");
    expect(report).toContain("| Forebay | 5,000 (4,000 to 6,000) | 3.0 (2.0 to 4.0) |");
    expect(report).toContain("| peer <B> | 2,000 (2,000 to 2,500) |  |");
    expect(report).toContain("3 rounds in 1.3 minutes.");
  });

  test("compares rows of the same round, with the peer whose median is best", () => {
    // Against peer <B>, 2,000 in the middle, although peer A had the best round.
    expect(report).toContain("| W1 × jobs/s of the best peer | ≥ 1.2 | ≥ 2.5 | 2.00 (2.00 to 3.00) | yes,");
  });

  test("has the table of docs/performance.md: what misses, what is missing and why, what was not run", () => {
    expect(report).toContain("| workload | must | goal | result | holds |\n|---|---|---|---|---|\n| W1 ×");
    expect(report).toContain(
      "| yes, goal missed; without peer C: it is not installed; without peer D: its server ended |",
    );
    expect(report).toContain("| W2 p50, ms | ≤ 1 | same | 3.0 (2.0 to 4.0) | **no** |");
    expect(report).toContain(
      "| W3 of no row | ≤ 1 | same | not measured | without peer D: its server ended |",
    );
    expect(report).toContain("| W4 of another workload | report | ≤ 1 | not measured | not run |");
  });

  test("compares with a peer of all rounds, not with a setting that was dropped after the first", () => {
    const [first, ...others] = ROUNDS;
    const rounds = [{ ...first, "peer, slow once": { rate: 3_000 } }, ...others].map(
      (round) => new Map(Object.entries(round)),
    );
    expect(WORKLOAD.goals[0]?.values(rounds)).toEqual([2, 3, 2]);
  });

  test("gives the reason of each case that is missing or failed", () => {
    expect(report).toContain("- peer C: it is not installed\n- peer D: failed: its server ended");
  });

  test("has a chart for light and dark pages, with one bar for each row and its range", () => {
    const chart = svgChart([OUTCOME]) ?? "";
    expect(report).toContain("](chart.svg)");
    expect(chart).toContain("prefers-color-scheme: dark");
    expect(chart).toContain("peer &lt;B&gt;<");
    expect(chart.match(/<rect class="own"/g)).toHaveLength(1);
    expect(chart.match(/<rect class="peer"/g)).toHaveLength(2);
    // The best round of peer A is the widest: 480 units for 9,000 jobs/s.
    expect(chart).toContain('x1="543.3" y1="52" x2="650.0" y2="52"');
  });
});

test("docs/performance.md has the rows of the report", () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/performance.md"), "utf8");
  const rows = WORKLOADS.flatMap(({ goals, isExtra }) => (isExtra === true ? [] : goals)).map(
    (goal) => `| ${boundCells(goal).join(" | ")} |`,
  );
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

describe("the rounds of a benchmark", () => {
  test("take turns: each case once in each round", async () => {
    const order: string[] = [];
    const caseOf = (name: string): Case => ({
      name,
      async measure() {
        order.push(name);
        return [{ name, figures: { rate: order.length } }];
      },
    });
    const cases = [caseOf("a"), caseOf("b")];
    const { rounds } = await runRounds(WORKLOAD, cases, 2, () => undefined);
    expect(order).toEqual(["a", "b", "a", "b"]);
    expect(rounds.map((round) => Object.fromEntries(round))).toEqual([
      { a: { rate: 1 }, b: { rate: 2 } },
      { a: { rate: 3 }, b: { rate: 4 } },
    ]);
  });

  test("go on without a case that fails or is missing, and say why", async () => {
    let attempts = 0;
    const cases: Case[] = [
      { name: "missing", missing: () => "not installed", measure: () => Promise.reject(new Error("called")) },
      {
        name: "failing",
        measure() {
          attempts++;
          return Promise.reject(new Error("its server ended"));
        },
      },
      { name: "fine", measure: async () => [{ name: "fine", figures: { rate: 1 } }] },
    ];
    const { rounds, missing } = await runRounds(WORKLOAD, cases, 2, () => undefined);
    expect(rounds.map((round) => Array.from(round.keys()))).toEqual([["fine"], ["fine"]]);
    expect(attempts).toBe(1);
    expect(missing).toEqual([
      { name: "missing", reason: "not installed", hasFailed: false },
      { name: "failing", reason: "its server ended", hasFailed: true },
    ]);
  });

  test("go on with only the best setting of each peer", async () => {
    const caseOf = (name: string, rate: number, settingOf: string): Case => ({
      name,
      settingOf,
      measure: async () => [{ name, figures: { rate } }],
    });
    const cases = [
      caseOf("a 1", 5, "a"),
      caseOf("a 2", 9, "a"),
      caseOf("b 1", 3, "b"),
      caseOf("b 2", 2, "b"),
    ];
    const { rounds, missing } = await runRounds(WORKLOAD, cases, 2, () => undefined);
    expect(rounds.map((round) => Array.from(round.keys()))).toEqual([
      ["a 1", "a 2", "b 1", "b 2"],
      ["a 2", "b 1"],
    ]);
    expect(missing).toEqual([]);
  });

  test("end a measurement that takes too long, with all that it started", async () => {
    const ended: string[] = [];
    const hangs: Case = {
      name: "hangs",
      measure() {
        atExit(() => ended.push("its server"));
        return new Promise(() => undefined);
      },
    };
    const { missing } = await runRounds(WORKLOAD, [hangs], 2, () => undefined, 20);
    expect(missing).toEqual([{ name: "hangs", reason: "it took longer than 0.02 s", hasFailed: true }]);
    expect(ended).toEqual(["its server"]);
  });

  test("have a median that favours neither the lower nor the higher of two values", () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });
});
