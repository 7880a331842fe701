import {
  type EndEvent,
  isTerminal,
  type JobState,
  leavesRunning,
  permits,
  TRANSITIONS,
} from "../../../domain/transitions.ts";
import { elapsed } from "../../elapsed.ts";
import type { Counts } from "../../store.ts";
import { sqliteAttempts } from "../sqlite-attempts.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteCompleteLate } from "../sqlite-complete-late.ts";
import { holderOf } from "../sqlite-job-row.ts";
import { sqliteOutbox } from "../sqlite-outbox.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

interface LiveRow {
  readonly seq: number;
  readonly state: JobState;
  readonly attempt: number;
  readonly holder: string | null;
  readonly taken_at: number | null;
  readonly due_at: number;
  readonly retention: number;
  readonly low_priority: number;
  readonly bytes: number;
  readonly beside: number;
  readonly progress: PayloadColumn | null;
  readonly receiver: string | null;
}

type Parameters = [
  seq: number,
  from: JobState,
  attempt: number,
  to: JobState,
  holder: string | null,
  now: number,
  due: number,
  output: PayloadColumn | null,
  error: PayloadColumn | null,
  beside: number,
];

export function sqliteFinish(tables: Tables): StepRunner<"finish"> {
  const { database, payloads, counters, signal } = tables;
  const select = prepare<LiveRow, [endpoint: string, id: string]>(
    database,
    `SELECT seq, state, attempt, holder, taken_at, due_at, retention, low_priority, bytes, beside,
            progress, receiver
     FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const update = prepare<never, Parameters>(
    database,
    `UPDATE job
     SET state = ?4, holder = ?5, ended_at = ?6, due_at = ?7, output = ?8, error = ?9, beside = ?10,
         progress = NULL
     WHERE seq = ?1 AND state = ?2 AND attempt = ?3`,
  );
  const addDelivery = sqliteOutbox(tables);
  const { find } = sqliteWholeJobs(tables);
  const { keepEnd, keepOutput } = sqliteAttempts(database);
  const release = prepare<never, [seq: number]>(database, "UPDATE job SET holder = NULL WHERE seq = ?1");
  const completeLate = sqliteCompleteLate(tables, addDelivery);

  return (step, now) => {
    const row = select.get(step.endpoint, step.id);
    if (row === null || !permits(step.event, row.state) || !isFrom(row, step.worker, step.attempt)) {
      if (step.worker === undefined) return { accepted: false };
      if (completeLate({ ...step, worker: step.worker }, now)) return { accepted: true };
      counters.add(step.endpoint, { ignored: 1 });
      // The report of an earlier attempt does not say that this one has stopped.
      const isStopped = !leavesRunning(step.event) && row !== null && isFrom(row, step.worker, step.attempt);
      if (isStopped && isTerminal(row.state)) release.run(row.seq);
      return { accepted: false };
    }
    if (step.onlyDue === true && row.due_at > now) return { accepted: false };
    const holder = holderOf(row);
    const output = step.output === undefined ? null : payloads.keep(step.output);
    const error = step.error === undefined ? null : payloads.keep(step.error);
    const beside = row.beside === 1 || typeof output === "number" || typeof error === "number" ? 1 : 0;
    const stillHeldBy = leavesRunning(step.event) ? (holder ?? null) : null;
    const { to } = TRANSITIONS[step.event];
    update.run(
      row.seq,
      row.state,
      row.attempt,
      to,
      stillHeldBy,
      now,
      now + Math.max(row.retention, step.retention),
      output,
      error,
      beside,
    );
    const ended = step.end === undefined ? null : find(step.endpoint, step.id);
    if (ended !== null && step.end !== undefined) keepEnd(ended, now, step.end);
    if (step.beside !== undefined) keepOutput(row, step.beside);
    payloads.drop(row.progress);
    counters.add(step.endpoint, countsOf(step.event, row));
    signal(step.event, step.endpoint, step.id, holder, { lasted: elapsed(row.taken_at, now) });
    if (row.receiver !== null) addDelivery(row.seq);
    return { accepted: true };
  };
}

/** The fence: a worker ends only the attempt that it holds. */
function isFrom(row: LiveRow, worker: string | undefined, attempt: number | undefined): boolean {
  return (
    (worker === undefined || row.holder === worker) && (attempt === undefined || row.attempt === attempt)
  );
}

function countsOf(event: EndEvent, row: LiveRow): Partial<Counts> {
  const ended = event === "complete" ? { completed: 1 } : { failed: 1 };
  if (row.state === "IN_PROGRESS") return { ...ended, running: -1 };
  return { ...ended, queued: -1, queuedLowPriority: -row.low_priority, queuedBytes: -row.bytes };
}
