import { TRANSITIONS } from "../../../domain/transitions.ts";
import type { KeptInputs } from "../../history-steps.ts";
import { prepare } from "../sqlite-driver.ts";
import { HAS_NO_RECORD, sqliteWriteRecords } from "../sqlite-history.ts";
import { sqliteIdempotency } from "../sqlite-idempotency.ts";
import { sqlitePastWorkers } from "../sqlite-past-workers.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";
import { sqliteChunks } from "../sqlite-chunks.ts";
import { sqliteRemoveJob } from "../sqlite-remove-job.ts";

/** Chunks that go with one step at most: their jobs can have any number of them. */
const CHUNKS_TOGETHER = 1_000;

export function sqliteForget(tables: Tables): StepRunner<"forget"> {
  const { database } = tables;
  const remove = sqliteRemoveJob(tables);
  const allChunks = sqliteChunks(tables);
  const states = TRANSITIONS.forget.from.map((state) => `'${state}'`).join(", ");
  // The states with an end: the index has only those.
  const isDue = `ended_at IS NOT NULL AND due_at <= ?1 AND state IN (${states})`;
  // Most jobs are one row and nothing else: they go in one statement.
  const removePlain = prepare<never, [now: number, limit: number]>(
    database,
    `DELETE FROM job WHERE seq IN (
       SELECT seq FROM job WHERE ${isDue} AND beside = 0 ORDER BY due_at LIMIT ?2)`,
  );
  const selectOthers = prepare<{ seq: number; chunks: number }, [now: number, limit: number]>(
    database,
    `SELECT seq, chunks FROM job WHERE ${isDue} AND beside = 1 ORDER BY due_at LIMIT ?2`,
  );
  const removeContacts = prepare<never, [before: number, limit: number]>(
    database,
    `DELETE FROM contact WHERE (endpoint, worker) IN (
       SELECT endpoint, worker FROM contact
       WHERE last_contact < ?1
         AND NOT EXISTS (
           SELECT 1 FROM job WHERE job.endpoint = contact.endpoint AND job.holder = contact.worker
         )
       LIMIT cast(?2 AS INTEGER)
     )`,
  );

  const keys = sqliteIdempotency(database);
  const pastWorkers = sqlitePastWorkers(database);

  const record = recordsOf(tables, isDue);

  return ({ limit, contactsBefore, pastWorkersBefore, history }, now) => {
    const forgotten = keys.forget(now, limit);
    const workers = pastWorkers.forget(pastWorkersBefore, limit);
    const contacts = removeContacts.run(contactsBefore, limit).changes;
    if (history !== undefined) record.plain(history, now, limit);
    const plain = removePlain.run(now, limit).changes;
    const others = plain < limit ? selectOthers.all(now, limit - plain) : [];
    if (history !== undefined) record.others(history, others);
    const count = plain + removeOthers(others);
    const isFull = [forgotten, workers, contacts, plain + others.length].includes(limit);
    return { count, hasMore: isFull || count < plain + others.length || undefined };
  };

  /** As many of them as have so few chunks together; of the next one, the chunks that still fit. */
  function removeOthers(rows: readonly { readonly seq: number; readonly chunks: number }[]): number {
    let left = CHUNKS_TOGETHER;
    for (const [removed, { seq, chunks }] of rows.entries()) {
      if (chunks > left && allChunks.drop(seq, left) === left) return removed;
      left = Math.max(0, left - chunks);
      remove({ seq, beside: 1 });
    }
    return rows.length;
  }
}

/** Writes the records of jobs that go and have none: those that are one row, and others. */
function recordsOf(tables: Tables, isDue: string) {
  const inOrder = `SELECT seq FROM job WHERE ${isDue.replace("?1", "?3")} AND beside = 0`;
  const plain = sqliteWriteRecords<number>(
    tables,
    `seq IN (${inOrder} ORDER BY due_at LIMIT ?4) AND ${HAS_NO_RECORD}`,
  );
  const others = sqliteWriteRecords<string>(
    tables,
    `seq IN (SELECT value FROM json_each(?3)) AND ${HAS_NO_RECORD}`,
  );

  return {
    plain,

    others(inputs: KeptInputs, rows: readonly { readonly seq: number }[]): void {
      if (rows.length > 0) others(inputs, JSON.stringify(rows.map(({ seq }) => seq)));
    },
  };
}
