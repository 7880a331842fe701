import type { Outcome } from "../rounds.ts";
import { type Bound, type Column, figuresOf, median, type Goal, rowsOf, type Workload } from "../workload.ts";

/**
 * The report of a run; `planned` are the workloads whose goals it must show, `about` lines on the machine and
 * the command.
 */
export function markdownReport(
  planned: readonly Workload[],
  outcomes: readonly Outcome[],
  about: readonly string[],
  chart?: string,
): string {
  const parts = [
    "# Benchmark",
    about.map((line) => `- ${line}`).join("\n"),
    "## What must hold",
    "Ratios compare rows of the same round. Results are medians of the rounds, with the range in brackets.",
    goalTable(planned, outcomes),
    ...(chart === undefined ? [] : [`![Medians with ranges](${chart})`]),
    ...outcomes.flatMap(workloadPart),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The table of docs/performance.md. */
function goalTable(planned: readonly Workload[], outcomes: readonly Outcome[]): string {
  const rows = planned.flatMap((workload) => {
    const outcome = outcomes.find((one) => one.workload === workload);
    return workload.goals.map((goal) => goalCells(goal, outcome));
  });
  return table(["workload", "must", "goal", "result", "holds"], rows);
}

/** What must hold, the bound, and the goal. */
export function boundCells({ what, must, aim }: Goal): string[] {
  return [what, must === undefined ? "report" : boundText(must), aim === undefined ? "same" : boundText(aim)];
}

function goalCells(goal: Goal, outcome: Outcome | undefined): string[] {
  const values = goal.values(outcome?.rounds ?? []);
  const lacking = (outcome?.missing ?? []).filter(({ name }) => goal.requires(name));
  const result = values.length === 0 ? "not measured" : withRange(values, goal.digits);
  const without = lacking.map(({ name, reason }) => `without ${name}: ${inOneLine(reason)}`);
  const verdicts = values.length > 0 ? [verdict(goal, values)] : without.length === 0 ? ["not run"] : [];
  return [...boundCells(goal), result, [...verdicts, ...without].join("; ")];
}

function verdict({ must, aim }: Goal, values: readonly number[]): string {
  const middle = median(values);
  if (must !== undefined && !holds(must, middle)) return "**no**";
  if (aim === undefined) return "yes";
  if (holds(aim, middle)) return "yes, with the goal";
  return must === undefined ? "goal missed" : "yes, goal missed";
}

function holds(bound: Bound, value: number): boolean {
  return "least" in bound ? value >= bound.least : value <= bound.most;
}

function boundText(bound: Bound): string {
  const [sign, value] = "least" in bound ? ["≥", bound.least] : ["≤", bound.most];
  return `${sign} ${value.toLocaleString("en")}`;
}

function workloadPart(outcome: Outcome): string[] {
  const { workload, rounds, minutes } = outcome;
  const names = rowsOf(rounds);
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
    ...missingLines(outcome),
  ];
}

/** What was not measured, and why. */
export function missingLines({ missing }: Outcome): string[] {
  const lines = missing.map(
    ({ name, reason, hasFailed }) => `- ${name}: ${hasFailed ? "failed: " : ""}${inOneLine(reason)}`,
  );
  return lines.length === 0 ? [] : ["Not measured:", lines.join("\n")];
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** The median, with the range where there is one. */
export function withRange(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  );
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
