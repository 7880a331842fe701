import { prepare } from "../sqlite-driver.ts";
import { sqliteLiveAttempts } from "../sqlite-live-attempt.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteProgress(tables: Tables): StepRunner<"progress"> {
  const { database, payloads, counters } = tables;
  const liveAttempts = sqliteLiveAttempts(tables);
  const update = prepare<never, [seq: number, progress: PayloadColumn, beside: number]>(
    database,
    "UPDATE job SET progress = ?2, beside = max(beside, ?3) WHERE seq = ?1",
  );

  return (step) => {
    const row = liveAttempts.find(step);
    if (row === null) {
      counters.add(step.endpoint, { ignored: 1 });
      return { accepted: false };
    }
    payloads.drop(row.progress);
    const progress = payloads.keep(step.value);
    update.run(row.seq, progress, typeof progress === "number" ? 1 : 0);
    liveAttempts.prove(row);
    return { accepted: true };
  };
}
