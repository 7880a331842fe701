import { OTHER } from "../against.ts";
import type { Outcome } from "../rounds.ts";
import { figuresOf, median, rowsOf } from "../workload.ts";
import { missingLines, table, withRange } from "./markdown.ts";

/** The report of two builds that were measured in turns; `about` are lines on the machine and the command. */
export function pairsReport(outcomes: readonly Outcome[], about: readonly string[]): string {
  const parts = [
    "# Two builds",
    about.map((line) => `- ${line}`).join("\n"),
    "Each ratio is this build, divided by the other build in the same round. Figures are medians of the " +
      "rounds, with the range in brackets.",
    ...outcomes.flatMap((outcome) => [
      `## ${outcome.workload.title}`,
      pairsTable(outcome),
      ...missingLines(outcome),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function pairsTable({ workload, rounds }: Outcome): string {
  const names = rowsOf(rounds).filter((name) => !name.endsWith(OTHER));
  const rows = names.flatMap((name) =>
    workload.columns.flatMap(({ key, title, digits }) => {
      const pairs = rounds.flatMap((round) => {
        const [ours, theirs] = [round.get(name)?.[key], round.get(`${name}${OTHER}`)?.[key]];
        return ours === undefined || theirs === undefined || theirs === 0 ? [] : [ours / theirs];
      });
      if (pairs.length === 0) return [];
      const medians = [name, `${name}${OTHER}`].map((row) => withRange(figuresOf(rounds, row, key), digits));
      return [[name, title, ...medians, withRange(pairs, 3), verdict(pairs)]];
    }),
  );
  return table(["", "figure", "this build", "other build", "ratio", ""], rows);
}

/** A difference counts when all rounds agree on it. */
function verdict(pairs: readonly number[]): string {
  if (pairs.every((ratio) => ratio > 1)) return `+${percent(pairs)} %`;
  if (pairs.every((ratio) => ratio < 1)) return `−${percent(pairs)} %`;
  return "within the spread";
}

function percent(pairs: readonly number[]): string {
  return Math.abs((median(pairs) - 1) * 100).toFixed(1);
}
