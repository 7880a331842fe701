/** What an element of an array is in the database. */
export type ElementType = "text" | "bigint" | "integer" | "boolean" | "bytea" | "uuid";

export type Element = string | number | boolean | Uint8Array | null;

/** Texts that need no quotes in an array (PostgreSQL, section 8.15.6). */
const PLAIN = /^[\w-]+$/;
const NULL_WORD = /^null$/i;

/** An array as one parameter. The driver's own way takes twice the time. */
export function array(values: readonly Element[]): string {
  let text = "{";
  for (const value of values) {
    if (text !== "{") text += ",";
    if (value === null) text += "NULL";
    else if (typeof value === "string") text += quoted(value);
    else if (value instanceof Uint8Array) text += `"\\\\x${hexOf(value)}"`;
    else text += String(value);
  }
  return `${text}}`;
}

function quoted(value: string): string {
  if (PLAIN.test(value) && !NULL_WORD.test(value)) return value;
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Rows that a statement is given as one array for each column. */
export interface GivenRows<Column extends string> {
  /** Names of the columns, with commas. */
  readonly names: string;
  /** What the rows are in a FROM: `unnest($1::text[], …)`. */
  readonly source: string;
  /** The parameters of the statement that stand for these rows. */
  arrays(rows: readonly Readonly<Record<Column, Element | undefined>>[]): string[];
}

/** Rows of these columns; their first parameter is `$1`, or the one with the number `first`. */
export function givenRows<Column extends string>(
  types: Readonly<Record<Column, ElementType>>,
  first = 1,
): GivenRows<Column> {
  // An object has its own keys.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const columns = Object.keys(types) as Column[];
  const parameters = columns.map((column, index) => `$${index + first}::${types[column]}[]`);
  return {
    names: columns.join(", "),
    source: `unnest(${parameters.join(", ")})`,
    arrays: (rows) => columns.map((column) => array(rows.map((row) => row[column] ?? null))),
  };
}
