import { sizeOfAll } from "../../../domain/payload.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteLiveAttempts } from "../sqlite-live-attempt.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

/** `finish` ends the job that would go over its limit. */
export function sqliteAppend(tables: Tables, finish: StepRunner<"finish">): StepRunner<"append"> {
  const { database, payloads, counters, signal } = tables;
  const liveAttempts = sqliteLiveAttempts(tables);
  const insert = prepare<never, [seq: number, number: number, content: PayloadColumn]>(
    database,
    "INSERT INTO chunk (job, number, content) VALUES (?1, ?2, ?3)",
  );
  const count = prepare<never, [seq: number, chunks: number, bytes: number]>(
    database,
    "UPDATE job SET chunks = ?2, chunk_bytes = ?3, beside = 1 WHERE seq = ?1",
  );

  return (step, now) => {
    const row = liveAttempts.find(step);
    if (row === null) {
      counters.add(step.endpoint, { ignored: 1 });
      return { accepted: false };
    }
    const bytes = row.chunk_bytes + sizeOfAll(step.chunks);
    if (step.limit !== undefined && bytes > step.limit.bytes) {
      finish(step.limit.otherwise, now);
      return { accepted: false, isOver: true };
    }
    for (const [index, chunk] of step.chunks.entries()) {
      insert.run(row.seq, row.chunks + index, payloads.keep(chunk));
    }
    count.run(row.seq, row.chunks + step.chunks.length, bytes);
    liveAttempts.prove(row);
    const added = { attempt: row.attempt, first: row.chunks, chunks: step.chunks };
    signal("append", step.endpoint, step.id, step.worker, { added });
    return { accepted: true };
  };
}
