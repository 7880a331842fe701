import { type Element, type ElementType, givenRows } from "./postgres-arrays.ts";
import { allOf, type Connection } from "./postgres-driver.ts";

/** A table, and the columns that are filled, with what an array of each is made of. */
export interface FilledTable<Row> {
  readonly table: string;
  readonly types: Readonly<Record<keyof Row & string, ElementType>>;
}

export interface Inserts {
  /** Resolves when there is room for more. */
  add<Row extends Readonly<Record<keyof Row, Element>>>(table: FilledTable<Row>, row: Row): Promise<void>;
  /** Resolves when all that was added is written. */
  end(): Promise<void>;
}

/** At most so many rows, and bytes of them, in one statement. */
const ROWS = 1_000;
const BYTES = 2_000_000;

/** Statements under way, so that this process and the database work at the same time. */
const UNDER_WAY = 3;

/** Writes rows one kind after the other, many in one statement; what waits to be written stays small. */
export function inserts(connection: Connection): Inserts {
  let table: FilledTable<never> | undefined;
  let rows: Readonly<Record<string, Element>>[] = [];
  let bytes = 0;
  let underWay: Promise<unknown>[] = [];

  function send(): void {
    if (table === undefined || rows.length === 0) return;
    const { names, source, arrays } = givenRows<string>(table.types);
    const text = `INSERT INTO forebay.${table.table} (${names}) SELECT * FROM ${source}`;
    const written = connection.query(text, arrays(rows));
    // It is awaited later. Until then it must not count as an unhandled rejection.
    written.catch(() => undefined);
    underWay.push(written);
    rows = [];
    bytes = 0;
  }

  return {
    async add(given, row) {
      if (given !== table) send();
      // Which rows a table takes is checked where they are added; here they are all alike.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      table = given as unknown as FilledTable<never>;
      rows.push(row);
      for (const value of Object.values<Element>(row)) if (value instanceof Uint8Array) bytes += value.length;
      if (rows.length < ROWS && bytes < BYTES) return;
      send();
      if (underWay.length >= UNDER_WAY) await underWay.shift();
    },

    async end() {
      send();
      const last = underWay;
      underWay = [];
      await allOf(last);
    },
  };
}
