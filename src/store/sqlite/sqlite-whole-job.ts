import { sqliteAttempts } from "./sqlite-attempts.ts";
import { prepare } from "./sqlite-driver.ts";
import { sqliteIdempotency } from "./sqlite-idempotency.ts";
import { JOB_COLUMNS, type JobRow, RESULT_COLUMNS, type ResultRow } from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

/** A job by its id, with all that lies beside its row: what steps need that end, restart or remove it. */
export interface WholeJobs {
  find(endpoint: string, id: string): JobRow | null;
  /** Removes output, error, progress and chunks of the attempts so far. */
  clearResult(row: JobRow): void;
  /** Drops the progress value of a job that stops running; its column is the caller's to clear. */
  dropProgress(row: JobRow): void;
  /** Removes at most `limit` chunks of the job; answers how many. */
  dropChunks(seq: number, limit: number): number;
  /** Removes the job and all that belongs to it. */
  remove(row: Pick<JobRow, "seq" | "beside">): void;
}

/** No chunk has a higher number. */
const ALL = Number.MAX_SAFE_INTEGER;

type Contents = ResultRow & { readonly body: PayloadColumn; readonly secret: PayloadColumn | null };

export function sqliteWholeJobs({ database, payloads }: Tables): WholeJobs {
  const select = prepare<JobRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectContents = prepare<Contents, [seq: number]>(
    database,
    `SELECT body, secret, ${RESULT_COLUMNS} FROM job WHERE seq = ?1`,
  );
  const selectChunks = prepare<{ content: PayloadColumn }, [seq: number, upTo: number]>(
    database,
    "SELECT content FROM chunk WHERE job = ?1 AND number <= ?2 AND typeof(content) = 'integer'",
  );
  const removeChunks = prepare<never, [seq: number, upTo: number]>(
    database,
    "DELETE FROM chunk WHERE job = ?1 AND number <= ?2",
  );
  const firstChunk = prepare<{ number: number }, [seq: number]>(
    database,
    "SELECT number FROM chunk WHERE job = ?1 ORDER BY number LIMIT 1",
  );
  const clear = prepare<never, [seq: number]>(
    database,
    `UPDATE job SET output = NULL, error = NULL, progress = NULL, chunks = 0, chunk_bytes = 0, cursor = 0
     WHERE seq = ?1`,
  );
  const remove = prepare<never, [seq: number]>(database, "DELETE FROM job WHERE seq = ?1");
  const keys = sqliteIdempotency(database);
  const attempts = sqliteAttempts(database);

  /** Chunks up to this number; answers how many there were. */
  function dropUpTo(seq: number, number: number): number {
    for (const { content } of selectChunks.all(seq, number)) payloads.drop(content);
    return removeChunks.run(seq, number).changes;
  }

  return {
    find: (endpoint, id) => select.get(endpoint, id),

    dropChunks(seq, limit) {
      const first = firstChunk.get(seq);
      return first === null ? 0 : dropUpTo(seq, first.number + limit - 1);
    },

    clearResult(row) {
      if (row.beside === 1) {
        const contents = selectContents.get(row.seq);
        for (const column of [contents?.output, contents?.error, contents?.progress])
          payloads.drop(column ?? null);
        dropUpTo(row.seq, ALL);
      }
      clear.run(row.seq);
    },

    dropProgress(row) {
      if (row.beside === 1) payloads.drop(selectContents.get(row.seq)?.progress ?? null);
    },

    remove(row) {
      if (row.beside === 1) {
        for (const column of Object.values(selectContents.get(row.seq) ?? {})) payloads.drop(column);
        dropUpTo(row.seq, ALL);
        attempts.remove(row.seq);
        keys.jobGoes(row.seq);
      }
      remove.run(row.seq);
    },
  };
}
