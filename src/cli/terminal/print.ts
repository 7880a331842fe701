import { visibleLine, visibleText } from "../../domain/visible-text.ts";
import { shown, widthOf } from "./terminal-text.ts";

/** Prints a list: `answer` as JSON for programs, a table for people, or `nothing` if it is empty. */
export function printTable<Row>(
  isJson: boolean,
  answer: unknown,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nothing: string,
): void {
  if (isJson) printJson(answer);
  else console.log(rows.length === 0 ? nothing : table(rows, columns, widthOf(process.stdout)));
}

/** Prints a record: as JSON for programs, a line for each non-empty value for people. */
export function printRecord(
  isJson: boolean,
  answer: unknown,
  values: Readonly<Record<string, string | undefined>>,
): void {
  if (isJson) return printJson(answer);
  const lines = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, value]],
  );
  console.log(nameValues(lines));
}

/** One line of JSON. */
export function printJson(answer: unknown): void {
  console.log(shown(JSON.stringify(answer)));
}

/** A line for each name with its value. The values are aligned, also those of several lines. */
export function nameValues(
  lines: readonly (readonly [name: string, value: string, style?: Style])[],
): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines
    .map(([name, value, style = plain]) => {
      const [first = "", ...more] = visibleText(value).split("\n");
      const rest = more.map((line) => `\n${" ".repeat(width + GAP.length)}${line}`);
      return `${dim(name.padEnd(width))}${GAP}${style(first + rest.join(""))}`;
    })
    .join("\n");
}

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style;
  /** Its maximum width in a terminal. Longer texts are cut and end in `…`. Without it nothing is cut. */
  readonly most?: number;
}

const GAP = "  ";

/** A table. Columns beyond `width` characters are left out, the last first. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const textOf = ({ text, most = Infinity }: Column<Row>, row: Row): string => {
    const whole = visibleLine(text(row));
    const isCut = width !== Infinity && whole.length > most;
    return isCut ? `${whole.slice(0, most - 1)}…` : whole;
  };
  const fitting: { column: Column<Row>; width: number }[] = [];
  let used = 0;
  for (const column of columns) {
    const own = Math.max(column.title.length, ...rows.map((row) => textOf(column, row).length));
    used += own + (used > 0 ? GAP.length : 0);
    if (used > width && fitting.length > 0) break;
    fitting.push({ column, width: own });
  }
  const line = (cell: (column: Column<Row>) => [text: string, style: Style]): string =>
    fitting
      .map(({ column, width }, index) => {
        const [text, style] = cell(column);
        // The last cell needs no padding.
        return style(text) + (index < fitting.length - 1 ? " ".repeat(width - text.length) : "");
      })
      .join(GAP);
  return [
    line(({ title }) => [title, dim]),
    ...rows.map((row) => line((column) => [textOf(column, row), column.style?.(row) ?? plain])),
  ].join("\n");
}

/** Colours a text in a terminal, unless NO_COLOR is set (no-color.org). */
export type Style = (text: string) => string;

export const plain: Style = (text) => text;
const dim: Style = style(2, 22);
export const red: Style = style(31, 39);
export const green: Style = style(32, 39);
export const yellow: Style = style(33, 39);

function style(on: number, off: number): Style {
  return (text) => (isColoured() ? `\x1b[${on}m${text}\x1b[${off}m` : text);
}

function isColoured(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
}
