import { expect, test } from "bun:test";
import { OTHER, pairedCases } from "../../bench/against.ts";
import { pairsReport } from "../../bench/report/pairs.ts";
import { type Outcome, runRounds } from "../../bench/rounds.ts";
import type { Case, Scale, Workload } from "../../bench/workload.ts";

const SCALE: Scale = {
  build: "ours",
  isQuick: true,
  warmUp: 1,
  jobs: 1,
  waverless: undefined,
  pgmq: undefined,
};

/** Each measurement answers the next figure of its build. */
const FIGURES: Readonly<Record<string, { rate: number; p50: number; memory: number }[]>> = {
  ours: [
    { rate: 120, p50: 2, memory: 90 },
    { rate: 132, p50: 3, memory: 110 },
    { rate: 110, p50: 4, memory: 101 },
  ],
  theirs: [
    { rate: 100, p50: 4, memory: 100 },
    { rate: 110, p50: 4, memory: 100 },
    { rate: 100, p50: 5, memory: 100 },
  ],
};

const order: string[] = [];

const WORKLOAD: Workload = {
  id: "fixed",
  title: "Fixed figures",
  about: "",
  rounds: 3,
  minutes: 1,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "p50", title: "p50, ms", digits: 1 },
    { key: "memory", title: "memory, MB", digits: 0 },
  ],
  goals: [],
  async cases({ build }): Promise<Case[]> {
    let measured = 0;
    const own: Case = {
      name: "Forebay",
      async measure() {
        order.push(build);
        return [{ name: "Forebay", figures: FIGURES[build]?.[measured++] ?? {} }];
      },
    };
    return [{ name: "a peer", isPeer: true, measure: () => Promise.reject(new Error("called")) }, own];
  },
};

test("two builds take turns, and the report says which differences are larger than the spread", async () => {
  const cases = await pairedCases(WORKLOAD, SCALE, "theirs");
  expect(cases.map(({ name }) => name)).toEqual(["Forebay", `Forebay${OTHER}`]);
  const outcome: Outcome = await runRounds(WORKLOAD, cases, 3, () => undefined);
  expect(order).toEqual(["ours", "theirs", "ours", "theirs", "ours", "theirs"]);
  const report = pairsReport([outcome], ["2 cores"]);
  expect(report).toContain(
    [
      "|  | figure | this build | other build | ratio |  |",
      "|---|---|---|---|---|---|",
      "| Forebay | jobs/s | 120 (110 to 132) | 100 (100 to 110) | 1.200 (1.100 to 1.200) | +20.0 % |",
      "| Forebay | p50, ms | 3.0 (2.0 to 4.0) | 4.0 (4.0 to 5.0) | 0.750 (0.500 to 0.800) | −25.0 % |",
      "| Forebay | memory, MB | 101 (90 to 110) | 100 | 1.010 (0.900 to 1.100) | within the spread |",
    ].join("\n"),
  );
});
