import { prepare } from "../sqlite-driver.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

interface EndedRow {
  readonly seq: number;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
}

export function sqliteForgetDeliveries({ database, payloads }: Tables): StepRunner<"forgetDeliveries"> {
  const select = prepare<EndedRow, [now: number, limit: number]>(
    database,
    `SELECT seq, output, error FROM delivery
     WHERE state <> 'PENDING' AND due_at <= ?1 ORDER BY due_at LIMIT cast(?2 AS INTEGER)`,
  );
  const remove = prepare<never, [seq: number]>(database, "DELETE FROM delivery WHERE seq = ?1");

  return ({ limit }, now) => {
    const rows = select.all(now, limit);
    for (const { seq, output, error } of rows) {
      payloads.drop(output);
      payloads.drop(error);
      remove.run(seq);
    }
    return { count: rows.length };
  };
}
