import { OVERTAKEN } from "../../domain/attempt.ts";
import { lateAttempt } from "../../domain/late-result.ts";
import { permits, TRANSITIONS } from "../../domain/transitions.ts";
import type { Finish } from "../steps.ts";
import { sqliteAttempts } from "./sqlite-attempts.ts";
import { prepare } from "./sqlite-driver.ts";
import { holderOf } from "./sqlite-job-row.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";
import { sqliteWholeJobs } from "./sqlite-whole-job.ts";

type Parameters = [
  seq: number,
  attempt: number,
  to: string,
  holder: string | null,
  worker: string | null,
  queuedAt: number,
  takenAt: number,
  now: number,
  due: number,
  output: PayloadColumn | null,
  beside: number,
];

/**
 * Ends an unfinished job by the result of an attempt of the worker that was given back; false: it does not
 * count. The row tells of that attempt then. A worker that runs the job now still holds it, and is to stop.
 */
export function sqliteCompleteLate(
  tables: Tables,
  addDelivery: (seq: number) => void,
): (step: Finish & { readonly worker: string }, now: number) => boolean {
  const { database, payloads, counters, signal } = tables;
  const { find, dropProgress } = sqliteWholeJobs(tables);
  const { givenBack, keepEnd, keepLate } = sqliteAttempts(database);
  const update = prepare<never, Parameters>(
    database,
    `UPDATE job
     SET state = ?3, holder = ?4, worker = ?5, queued_at = ?6, taken_at = ?7, ended_at = ?8, due_at = ?9,
         output = ?10, beside = max(beside, ?11), progress = NULL
     WHERE seq = ?1 AND attempt = ?2`,
  );

  return (step, now) => {
    if (step.mayBeLate !== true || step.event !== "complete" || step.attempt !== undefined) return false;
    const { endpoint, id, worker, retention } = step;
    const row = find(endpoint, id);
    if (row === null || !permits("completeLate", row.state) || row.holder === worker) return false;
    const { position, attempt, chunks, expires_at: expiresAt, execution_timeout: executionTimeout } = row;
    const subject = { worker, position, attempt, chunks, expiresAt, executionTimeout };
    const late = lateAttempt(subject, givenBack(row.seq), now);
    if (late === undefined) return false;
    const holder = holderOf(row);
    const { ended } = late;
    const lowPriority = row.low_priority;
    keepEnd(row, now, { outcome: "CANCELLED", error: OVERTAKEN });
    keepLate(row.seq, late, now);
    dropProgress(row);
    const output = step.output === undefined ? null : payloads.keep(step.output);
    update.run(
      row.seq,
      attempt,
      TRANSITIONS.completeLate.to,
      holder ?? null,
      ended.worker ?? null,
      ended.queuedAt,
      ended.startedAt,
      now,
      now + Math.max(row.retention, retention),
      output,
      typeof output === "number" ? 1 : 0,
    );
    const left =
      row.state === "IN_PROGRESS"
        ? { running: -1 }
        : { queued: -1, queuedLowPriority: -lowPriority, queuedBytes: -row.bytes };
    counters.add(endpoint, { completed: 1, ...left });
    signal("completeLate", endpoint, id, holder, { lasted: now - ended.startedAt });
    if (row.receiver !== null) addDelivery(row.seq);
    return true;
  };
}
