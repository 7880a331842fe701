import { sqliteAttempts } from "./sqlite-attempts.ts";
import { sqliteChunks } from "./sqlite-chunks.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteIdempotency } from "./sqlite-idempotency.ts";
import { RESULT_COLUMNS, type ResultRow } from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

type Contents = ResultRow & { readonly body: PayloadColumn; readonly secret: PayloadColumn | null };

/** Removes a job and all that belongs to it. */
export function sqliteRemoveJob(
  tables: Tables,
): (row: { readonly seq: number; readonly beside: number }) => void {
  const { database, payloads } = tables;
  const selectContents = prepare<Contents, [seq: number]>(
    database,
    `SELECT body, secret, ${RESULT_COLUMNS} FROM job WHERE seq = ?1`,
  );
  const remove = prepare<never, [seq: number]>(database, "DELETE FROM job WHERE seq = ?1");
  const keys = sqliteIdempotency(database);
  const attempts = sqliteAttempts(database);
  const chunks = sqliteChunks(tables);

  return ({ seq, beside }) => {
    if (beside === 1) {
      for (const column of Object.values(selectContents.get(seq) ?? {})) payloads.drop(column);
      chunks.dropAll(seq);
      attempts.remove(seq);
      keys.jobGoes(seq);
    }
    remove.run(seq);
  };
}
