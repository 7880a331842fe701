import type { Outcome } from "../rounds.ts";
import { type Bound, type Column, figuresOf, median, type Goal, type Round } from "../workload.ts";

/** The report of all workloads; `about` are lines on the machine and the command. */
export function markdownReport(
  outcomes: readonly Outcome[],
  about: readonly string[],
  chart?: string,
): string {
  const parts = [
    "# Benchmark",
    about.map((line) => `- ${line}`).join("\n"),
    "## What must hold",
    "Ratios compare rows of the same round. Figures are medians of the rounds, with the range in brackets.",
    goalTable(outcomes),
    ...(chart === undefined ? [] : [`![Medians with ranges](${chart})`]),
    ...outcomes.flatMap(workloadPart),
  ];
  return `${parts.join("\n\n")}\n`;
}

function goalTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ workload, rounds }) =>
    workload.goals.map((goal) => [workload.title, ...goalCells(goal, rounds)]),
  );
  return table(["workload", "figure", "must", "goal", "measured", "verdict"], rows);
}

function goalCells(goal: Goal, rounds: readonly Round[]): string[] {
  const values = goal.values(rounds);
  const measured = values.length === 0 ? "not measured" : withRange(values, goal.digits);
  const must = goal.must === undefined ? "report" : boundText(goal.must);
  const aim = goal.aim === undefined ? "same" : boundText(goal.aim);
  return [goal.what, must, aim, measured, verdict(goal, values)];
}

function verdict({ must, aim }: Goal, values: readonly number[]): string {
  if (values.length === 0) return "";
  const middle = median(values);
  if (aim !== undefined && holds(aim, middle)) return "goal reached";
  if (must === undefined) return "goal missed";
  return holds(must, middle) ? "holds" : "**missed**";
}

function holds(bound: Bound, value: number): boolean {
  return "least" in bound ? value >= bound.least : value <= bound.most;
}

function boundText(bound: Bound): string {
  return "least" in bound ? `≥ ${bound.least}` : `≤ ${bound.most}`;
}

function workloadPart({ workload, rounds, missing, minutes }: Outcome): string[] {
  const names = [...new Set(rounds.flatMap((round) => [...round.keys()]))];
  const columns = workload.columns.filter(({ key }) =>
    names.some((name) => figuresOf(rounds, name, key).length > 0),
  );
  const cell = (name: string, { key, digits }: Column): string => {
    const values = figuresOf(rounds, name, key);
    return values.length === 0 ? "" : withRange(values, digits);
  };
  const rows = names.map((name) => [name].concat(columns.map((column) => cell(name, column))));
  const unit = rounds.length === 1 ? "round" : "rounds";
  const time = `${rounds.length} ${unit} in ${minutes.toFixed(1)} minutes.`;
  return [
    `## ${workload.title}`,
    `${workload.about} ${time}`,
    ...(rows.length === 0 ? [] : [table(["", ...columns.map(({ title }) => title)], rows)]),
    ...(missing.length === 0 ? [] : ["Not measured:", missing.map(missingLine).join("\n")]),
  ];
}

function missingLine({ name, reason, hasFailed }: Outcome["missing"][number]): string {
  return `- ${name}: ${hasFailed ? "failed: " : ""}${reason.replaceAll(/\s+/g, " ")}`;
}

/** The median, with the range where there is one. */
function withRange(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    number(value, digits),
  );
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}

function number(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
