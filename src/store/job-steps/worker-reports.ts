import { dueAt } from "../../domain/job-times.ts";
import type { Job } from "../../domain/job.ts";
import { isTerminal } from "../../domain/transitions.ts";
import { coldStartText } from "../attempt-text.ts";
import { type JobColumns, jobOf } from "../job-columns.ts";
import { NO_STRAY, shownBy, strayOf } from "../shown-jobs.ts";
import type { JobStepRunner, JobTransaction } from "./job-transaction.ts";

// What is learned of a worker while its jobs run: progress, heartbeats, and how long it took to start.

export const progress: JobStepRunner<"progress"> = (step, _now, transaction) => {
  const row = liveAttempt(transaction, step);
  if (row === undefined) {
    transaction.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  prove(transaction, row);
  transaction.change(row, {}, { progress: step.value });
  return { accepted: true };
};

export const seen: JobStepRunner<"seen"> = (step, now, transaction) => {
  const { endpoint, worker, shown, call, pings } = step;
  const held = shown.kind === "nothing" ? [] : transaction.heldBy(endpoint, worker);
  const hungUp = call === "ping" ? null : call === "hangUp";
  const stray = call === "ping" ? (strayOf(shown, held) ?? NO_STRAY) : null;
  transaction.contact({ endpoint, worker, at: now, pings, hungUp, stray });
  const denied: Job[] = [];
  const verdict = shownBy(step, held);
  for (const row of held) {
    const says = verdict(row);
    if (says === "proved" && !isTerminal(row.state)) prove(transaction, row, pings ? now : undefined);
    if (says !== "denied") continue;
    if (isTerminal(row.state)) transaction.change(row, { holder: null });
    else denied.push(jobOf(transaction.change(row, { denials: row.denials + 1 })));
  }
  return { denied };
};

export const noteColdStart: JobStepRunner<"noteColdStart"> = (step, _now, transaction) => {
  const { endpoint, id, attempt, coldStart } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined || row.attempt < attempt) return { accepted: false };
  transaction.keepAttempt(row, attempt, { cold_start: coldStartText(coldStart) });
  return { accepted: true };
};

/** Who speaks of which attempt; without an attempt, of the one that the worker holds. */
interface Speaker {
  readonly endpoint: string;
  readonly id: string;
  readonly worker: string;
  readonly attempt: number | undefined;
}

/**
 * The running attempt that the worker may speak of, or undefined: late, duplicate and foreign calls change
 * nothing.
 */
export function liveAttempt(
  transaction: JobTransaction,
  { endpoint, id, worker, attempt }: Speaker,
): JobColumns | undefined {
  const row = transaction.find(endpoint, id);
  if (row?.state !== "IN_PROGRESS" || row.holder !== worker) return undefined;
  return attempt === undefined || attempt === row.attempt ? row : undefined;
}

/**
 * The worker has shown that it has the job: the delivery lease is over, its own lease holds from here, and
 * earlier denials are forgiven. `leaseFrom`: it pings, so it has a lease from then on if it had none.
 */
export function prove(transaction: JobTransaction, row: JobColumns, leaseFrom?: number): void {
  const getsLease = leaseFrom !== undefined && row.lease_ends_at === null;
  if ((row.proved && row.denials === 0 && !getsLease) || row.taken_at === null) return;
  const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
  const due = dueAt.proved(row.taken_at, deadlines);
  const lease = row.lease_ends_at ?? leaseFrom ?? null;
  transaction.change(row, { proved: true, denials: 0, due_at: due, lease_ends_at: lease });
}
