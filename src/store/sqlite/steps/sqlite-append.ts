import { prepare } from "../sqlite-driver.ts";
import { sqliteLiveAttempts } from "../sqlite-live-attempt.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteAppend(tables: Tables): StepRunner<"append"> {
  const { database, payloads, counters, signal } = tables;
  const liveAttempts = sqliteLiveAttempts(tables);
  const insert = prepare<never, [seq: number, number: number, content: PayloadColumn]>(
    database,
    "INSERT INTO chunk (job, number, content) VALUES (?1, ?2, ?3)",
  );
  const count = prepare<never, [seq: number, chunks: number]>(
    database,
    "UPDATE job SET chunks = ?2, beside = 1 WHERE seq = ?1",
  );

  return (step) => {
    const row = liveAttempts.find(step);
    if (row === null) {
      counters.add(step.endpoint, { ignored: 1 });
      return { accepted: false };
    }
    for (const [index, chunk] of step.chunks.entries()) {
      insert.run(row.seq, row.chunks + index, payloads.keep(chunk));
    }
    count.run(row.seq, row.chunks + step.chunks.length);
    liveAttempts.prove(row);
    signal("append", step.endpoint, step.id, step.worker);
    return { accepted: true };
  };
}
