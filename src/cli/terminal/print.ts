import { nameValues } from "./name-values.ts";
import { type Column, table } from "./table.ts";
import { widthOf } from "./width-of.ts";
import { shown } from "./shown.ts";

/** Prints a list: `answer` as it came for programs, a table for people, or what to say when it is empty. */
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

/** Prints a record: as it came for programs, a line for each value that there is for people. */
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
