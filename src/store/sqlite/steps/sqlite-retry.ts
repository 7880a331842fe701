import { outcomeIn } from "../../../domain/attempt.ts";
import { overCap } from "../../../domain/queue-cap.ts";
import { isTerminal, permits, TRANSITIONS } from "../../../domain/transitions.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteAttempts } from "../sqlite-attempts.ts";
import { jobOf } from "../sqlite-job-row.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";

export function sqliteRetry(tables: Tables): StepRunner<"retry"> {
  const { database, counters, signal } = tables;
  const { find, clearResult } = sqliteWholeJobs(tables);
  const { keepEnd } = sqliteAttempts(database);
  const update = prepare<
    never,
    [
      seq: number,
      from: string,
      to: string,
      position: number,
      now: number,
      expiresAt: number,
      barred: string | null,
      barUntil: number,
    ]
  >(
    database,
    `UPDATE job
     SET state = ?3, holder = '', worker = NULL, position = ?4, queued_at = ?5, taken_at = NULL,
         ended_at = NULL, expires_at = ?6, due_at = ?6, losses = 0, undelivered = 0, proved = 0, denials = 0,
         barred = ?7, barred_until = ?8
     WHERE seq = ?1 AND state = ?2`,
  );

  return (step, now) => {
    const { endpoint, id, reporter, barUntil, cap, error } = step;
    const row = counters.has(endpoint) ? find(endpoint, id) : null;
    if (row === null || (isTerminal(row.state) && row.due_at <= now))
      return { job: undefined, accepted: false };
    if (!permits("retry", row.state)) return { job: jobOf(row), accepted: false };
    const over = step.over ?? overCap(cap, counters.fill(endpoint), row.bytes);
    if (over !== undefined) return { job: jobOf(row), accepted: false, over };
    keepEnd(row, row.ended_at ?? now, {
      outcome: outcomeIn(row.state),
      error: error?.attempt === row.attempt ? error.text : undefined,
    });
    clearResult(row);
    const { to } = TRANSITIONS.retry;
    const expiresAt = now + row.ttl;
    const position = Math.max(step.position, row.position + 1);
    update.run(row.seq, row.state, to, position, now, expiresAt, row.holder ?? reporter ?? null, barUntil);
    counters.add(endpoint, {
      queued: 1,
      queuedLowPriority: row.low_priority,
      queuedBytes: row.bytes,
      retried: 1,
    });
    signal("retry", endpoint, id, undefined);
    const job = jobOf(row, {
      state: to,
      position,
      losses: 0,
      undelivered: 0,
      worker: undefined,
      proved: false,
      denials: 0,
      queuedAt: now,
      takenAt: undefined,
      endedAt: undefined,
      expiresAt,
      dueAt: expiresAt,
    });
    return { job, accepted: true };
  };
}
