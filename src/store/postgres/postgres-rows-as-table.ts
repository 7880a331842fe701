import { array, type ElementType, type Parameter } from "./postgres-driver.ts";
import { JOB_COLUMN_TYPES, type JobColumn, type JobRow } from "./postgres-job-row.ts";

/**
 * The rows as a table: one array for each column. Where all rows agree in all columns of `same`, those are
 * sent once, which is most of the time and saves writing and reading them for each row; there are two
 * statements for each list of columns, and not one for each choice of them.
 */
export function rowsAsTable(
  rows: readonly JobRow[],
  columns: readonly JobColumn[],
  same: ReadonlySet<JobColumn>,
) {
  const [first] = rows;
  const once = columns.filter((column) => same.has(column));
  const isSame =
    first !== undefined && once.every((column) => rows.every((row) => row[column] === first[column]));
  const isOnce = (column: JobColumn): boolean => isSame && same.has(column);
  const typeOf = (column: JobColumn): string => JOB_COLUMN_TYPES[column];
  const selected = columns.map((column, index) =>
    isOnce(column) ? `$${index + 1}::${typeOf(column)} AS ${column}` : column,
  );
  const each = columns.filter((column) => !isOnce(column));
  const arrays = columns.flatMap((column, index) =>
    isOnce(column) ? [] : [`$${index + 1}::${typeOf(column)}[]`],
  );
  return {
    source: `(
      SELECT ${selected.join(", ")} FROM unnest(${arrays.join(", ")}) AS each_row (${each.join(", ")})
    ) AS given`,
    parameters: columns.map((column) =>
      isOnce(column) ? (first?.[column] ?? null) : columnOf(rows, column),
    ),
  };
}

function columnOf(rows: readonly JobRow[], column: JobColumn): Parameter {
  const type: ElementType = JOB_COLUMN_TYPES[column];
  return array(
    rows.map((row) => row[column] ?? null),
    type,
  );
}
