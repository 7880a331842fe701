import { permits, TRANSITIONS } from "../../../domain/transitions.ts";
import { elapsed } from "../../elapsed.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";
import { holderOf, jobOf } from "../sqlite-job-row.ts";
import { sqliteOutbox } from "../sqlite-outbox.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteCancel(tables: Tables): StepRunner<"cancel"> {
  const { database, counters, signal } = tables;
  const { find, dropProgress } = sqliteWholeJobs(tables);
  const addDelivery = sqliteOutbox(tables);
  const update = prepare<
    never,
    [seq: number, from: string, to: string, holder: string | null, now: number, due: number]
  >(
    database,
    `UPDATE job SET state = ?3, holder = ?4, ended_at = ?5, due_at = ?6, progress = NULL
     WHERE seq = ?1 AND state = ?2`,
  );

  return ({ endpoint, id, retention }, now) => {
    const row = find(endpoint, id);
    if (row === null) return undefined;
    if (!permits("cancel", row.state)) return jobOf(row);
    const holder = holderOf(row);
    const { to } = TRANSITIONS.cancel;
    const due = now + Math.max(row.retention, retention);
    dropProgress(row);
    // The worker still runs the job until it is known to have stopped.
    update.run(row.seq, row.state, to, holder ?? null, now, due);
    if (row.state === "IN_PROGRESS") counters.add(endpoint, { running: -1 });
    else
      counters.add(endpoint, { queued: -1, queuedLowPriority: -row.low_priority, queuedBytes: -row.bytes });
    signal("cancel", endpoint, id, holder, { lasted: elapsed(row.taken_at, now) });
    if (row.receiver !== null) addDelivery(row.seq);
    return jobOf(row, { state: to, endedAt: now, dueAt: due });
  };
}
