import { dueAt } from "../../domain/job-times.ts";
import type { TakenJob } from "../../domain/job.ts";
import { TRANSITIONS } from "../../domain/transitions.ts";
import type { JobColumns } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const take: JobStepRunner<"take"> = (step, now, transaction) => {
  const { endpoint, worker, count, deliveryLease } = step;
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`a take of ${count} jobs`);
  const may = (row: JobColumns) =>
    row.expires_at > now && (row.barred !== worker || (row.barred_until ?? 0) <= now);
  const leaseEndsAt = deliveryLease === undefined ? null : now + deliveryLease;
  const taken: TakenJob[] = [];
  let lowPriority = 0;
  let bytes = 0;
  for (const row of transaction.waiting(endpoint, count, may, now)) {
    const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
    transaction.change(row, {
      state: TRANSITIONS.take.to,
      holder: worker,
      worker,
      attempt: row.attempt + 1,
      taken_at: now,
      lease_ends_at: leaseEndsAt,
      due_at: dueAt.taken(now, deadlines, deliveryLease),
      proved: false,
      denials: 0,
      barred: null,
      barred_until: null,
    });
    taken.push({
      id: row.id,
      attempt: row.attempt + 1,
      ...transaction.submission(row),
      webhook: row.webhook ?? undefined,
    });
    if (row.low_priority) lowPriority++;
    bytes += row.bytes;
    transaction.signal("take", endpoint, row.id, worker, { lasted: now - row.queued_at });
  }
  if (taken.length > 0) {
    transaction.count(endpoint, {
      queued: -taken.length,
      queuedLowPriority: -lowPriority,
      queuedBytes: -bytes,
      running: taken.length,
    });
  }
  return taken;
};
