import { permits, TRANSITIONS } from "../../../domain/transitions.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteAttempts } from "../sqlite-attempts.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";
import { holderOf } from "../sqlite-job-row.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type Parameters = [
  seq: number,
  attempt: number,
  to: string,
  due: number,
  losses: number,
  undelivered: number,
  now: number,
  barred: string | null,
  barUntil: number,
];

export function sqliteGiveBack(tables: Tables): StepRunner<"giveBack"> {
  const { database, counters, signal } = tables;
  const { find, clearResult } = sqliteWholeJobs(tables);
  const { keepEnd } = sqliteAttempts(database);
  const update = prepare<never, Parameters>(
    database,
    `UPDATE job
     SET state = ?3, holder = '', worker = NULL, taken_at = NULL, due_at = ?4, losses = ?5, undelivered = ?6,
         queued_at = ?7, proved = 0, denials = 0, barred = ?8, barred_until = ?9
     WHERE seq = ?1 AND attempt = ?2`,
  );

  return (step, now) => {
    const row = find(step.endpoint, step.id);
    if (row === null || !permits("giveBack", row.state) || row.attempt !== step.attempt)
      return { accepted: false };
    keepEnd(row, now, step.end);
    clearResult(row);
    const { to } = TRANSITIONS.giveBack;
    const { losses, undelivered, barUntil } = step;
    update.run(row.seq, row.attempt, to, row.expires_at, losses, undelivered, now, row.holder, barUntil);
    counters.add(step.endpoint, {
      running: -1,
      queued: 1,
      queuedLowPriority: row.low_priority,
      queuedBytes: row.bytes,
      retried: losses > row.losses ? 1 : 0,
    });
    signal("giveBack", step.endpoint, step.id, holderOf(row), { isLoss: losses > row.losses });
    return { accepted: true };
  };
}
