import { visibleLine } from "../../domain/visible-text.ts";
import { dim, plain, type Style } from "./ansi.ts";

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style;
  /** How wide it may be in a terminal, where what is longer ends in `…`; without it nothing is cut. */
  readonly most?: number;
}

const GAP = "  ";

/** Rows below the titles of their columns. Columns beyond `width` characters are left out, the last first. */
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
        // Nothing stands behind the last cell.
        return style(text) + (index < fitting.length - 1 ? " ".repeat(width - text.length) : "");
      })
      .join(GAP);
  return [
    line(({ title }) => [title, dim]),
    ...rows.map((row) => line((column) => [textOf(column, row), column.style?.(row) ?? plain])),
  ].join("\n");
}
