import { array } from "./postgres-arrays.ts";
import type { Parameter } from "./postgres-driver.ts";
import { JOB_COLUMN_TYPES, type JobColumn, type JobRow } from "./postgres-job-row.ts";

/** What stands in a FROM, and its parameters. */
export interface RowsAsTable {
  readonly source: string;
  readonly parameters: Parameter[];
}

/**
 * The rows as a table `given`, with a column `version` where each has one. Where all rows agree in all the
 * columns of `same`, those are sent once, which is most of the time and saves writing and reading them for
 * each row; there are two statements for each list of columns, and not one for each choice of them. Bytes of
 * all rows travel as one piece, and each row says where its own lie: as an array they would be written and
 * read as hexadecimal text.
 */
export function rowsAsTable(
  rows: readonly JobRow[],
  columns: readonly JobColumn[],
  same: ReadonlySet<JobColumn>,
  versions: readonly string[] = [],
): RowsAsTable {
  const [first] = rows;
  const once = columns.filter((column) => same.has(column));
  const isSame =
    first !== undefined && once.every((column) => rows.every((row) => row[column] === first[column]));
  const parameters: Parameter[] = [];
  const parameter = (value: Parameter, type: string): string => `$${parameters.push(value)}::${type}`;
  const arrays: string[] = [];
  const names: string[] = [];
  const each = (name: string, given: string): void => {
    names.push(name);
    arrays.push(given);
  };

  const selected = columns.map((column) => {
    const type = JOB_COLUMN_TYPES[column];
    if (isSame && same.has(column)) return `${parameter(first[column] ?? null, type)} AS ${column}`;
    if (type !== "bytea") {
      const values = rows.map((row) => row[column] ?? null);
      each(column, parameter(array(values), `${type}[]`));
      return column;
    }
    const { all, starts, lengths } = inOnePiece(rows.map((row) => row[column]));
    each(`${column}_start`, parameter(array(starts), "integer[]"));
    each(`${column}_length`, parameter(array(lengths), "integer[]"));
    return `substring(${parameter(all, type)}, ${column}_start, ${column}_length) AS ${column}`;
  });
  if (versions.length > 0) {
    each("version", parameter(array(versions), "xid[]"));
    selected.push("version");
  }
  return {
    source: `(
      SELECT ${selected.join(", ")} FROM unnest(${arrays.join(", ")}) AS each_row (${names.join(", ")})
    ) AS given`,
    parameters,
  };
}

/** Positions count from 1; null where there is nothing. */
function inOnePiece(values: readonly JobRow[JobColumn][]) {
  const pieces: Uint8Array[] = [];
  const starts: (number | null)[] = [];
  const lengths: (number | null)[] = [];
  let position = 1;
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : undefined;
    starts.push(bytes === undefined ? null : position);
    lengths.push(bytes?.length ?? null);
    if (bytes === undefined) continue;
    pieces.push(bytes);
    position += bytes.length;
  }
  return { all: Buffer.concat(pieces), starts, lengths };
}
