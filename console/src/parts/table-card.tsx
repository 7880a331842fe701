import type { ComponentChildren } from "preact";
import type { ApiError } from "../api.ts";
import { Guard } from "./guard.tsx";
import { ErrorNote, Loading } from "./note.tsx";

/** A column. `isNumber` aligns it right, `isUnseen` shows it only to screen readers. */
export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly isUnseen?: boolean;
  /** A class of the style sheet, for its width. */
  readonly look?: string;
}

/** The column of the buttons of each row. */
export const ACTS: Column = { name: "Actions", isUnseen: true };

/** A column of numbers. */
export function figures(name: string): Column {
  return { name, isNumber: true };
}

interface TableCardProperties<Row> {
  /** The caption of the table. */
  readonly caption: string;
  readonly columns: readonly (string | Column)[];
  /** The rows that were read; undefined: nothing yet. */
  readonly rows: readonly Row[] | undefined;
  readonly error: ApiError | undefined;
  readonly retry: () => void;
  /** What is shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** A row of the table. */
  readonly children: (row: Row) => ComponentChildren;
}

/** A list as a table, or its loading, error or empty state. */
export function TableCard<Row>({
  caption,
  columns,
  rows,
  error,
  retry,
  empty,
  children,
}: TableCardProperties<Row>) {
  return (
    <>
      <ErrorNote error={error} retry={retry} />
      <div class="card kept">
        <Guard what={caption}>
          {rows === undefined && error === undefined ? <Loading /> : null}
          {rows?.length === 0 ? empty : null}
          {rows === undefined || rows.length === 0 ? null : (
            <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
              <table>
                <caption class="unseen">{caption}</caption>
                <thead>
                  <tr>
                    {columns.map((column) => {
                      const { name, isNumber, isUnseen, look } =
                        typeof column === "string" ? { name: column } : column;
                      return (
                        <th key={name} scope="col" class={isNumber ? `number ${look ?? ""}` : look}>
                          {isUnseen ? <span class="unseen">{name}</span> : name}
                        </th>
                      );
                    })}
                  </tr>
                </thead>
                <Rows rows={rows} draw={children} />
              </table>
            </div>
          )}
        </Guard>
      </div>
    </>
  );
}

/** A component of its own, so that the table's guard catches errors of a row. */
function Rows<Row>({ rows, draw }: { rows: readonly Row[]; draw: (row: Row) => ComponentChildren }) {
  return <tbody>{rows.map((row) => draw(row))}</tbody>;
}
