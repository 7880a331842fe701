import { dueAt } from "../../../domain/deadlines.ts";
import type { TakenJob } from "../../../domain/job.ts";
import { TRANSITIONS } from "../../../domain/transitions.ts";
import { payloadOf } from "../postgres-payload-columns.ts";
import type { JobRow } from "../postgres-job-row.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresTake: StepRunner<"take"> = (step, now, unit) => {
  const { endpoint, worker, count, deliveryLease } = step;
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`a take of ${count} jobs`);
  const may = (row: JobRow) =>
    row.expires_at > now && (row.barred !== worker || (row.barred_until ?? 0) <= now);
  const leaseEndsAt = deliveryLease === undefined ? null : now + deliveryLease;
  const taken: TakenJob[] = [];
  let lowPriority = 0;
  let bytes = 0;
  for (const row of unit.waiting.first(endpoint, count, may)) {
    const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
    unit.change(row, {
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
    const body = payloadOf(row.body, row.body_ref);
    if (body === undefined) throw new Error(`job ${row.id} is handed out, and its body was not read`);
    taken.push({
      id: row.id,
      attempt: row.attempt + 1,
      body,
      secret: payloadOf(row.secret, row.secret_ref),
      webhook: row.webhook ?? undefined,
    });
    if (row.low_priority) lowPriority++;
    bytes += row.bytes;
    unit.signal("take", endpoint, row.id, worker, { lasted: now - row.queued_at });
  }
  if (taken.length > 0) {
    unit.count(endpoint, {
      queued: -taken.length,
      queuedLowPriority: -lowPriority,
      queuedBytes: -bytes,
      running: taken.length,
    });
  }
  return taken;
};
